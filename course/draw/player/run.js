/**
 * The run that the page shows, from what `tally explain --json` says (`tally explain --help` describes it). Here arrays are
 * numbered by their place in the list, places of the source are numbers, and a value is its text, null if there is none.
 */
function readRun(json, sources) {
  const reader = new RunReader(json);
  const phases = json.phases.map((phase) => reader.readPhase(phase));
  return {
    ...json, phases, sources,
    places: reader.places,
    arrays: json.arrays.map(readArray),
    diagram: reader.readDiagram(json.diagram),
    blocks: Math.max(0, ...phases.map((phase) => phase.block)) + 1,
  };
}

class RunReader {
  constructor(json) {
    this.json = json;
    this.places = [];
    this.numbers = new Map(); // of the places
    this.arrays = new Map(json.arrays.map((array, place) => [array.number, place]));
  }

  readPhase(phase) {
    const acts = phase.events.map((event) => this.readEvent(event, phase));
    return { ...phase, where: this.placeOf(phase.file, phase.line), acts, changes: this.readChanges(phase, acts) };
  }

  readEvent(event, phase) {
    const where = this.placeOf(event.file ?? phase.file, event.line);
    return { ...event, where, array: this.arrayOf(event.array), index: indexOf(event.at), text: textOf(event.value) };
  }

  /** What is in the elements that have been written, each with the value written last. */
  readChanges(phase, acts) {
    const writes = new Map(acts.filter((act) => act.what !== "read" && act.array >= 0).map((act) => [act.at, act]));
    return Object.entries(phase.changes).map(([at, value]) => {
      const array = writes.get(at)?.array ?? this.json.arrays.findIndex((each) => at.startsWith(`${each.name}[`));
      return { array, index: indexOf(at), text: textOf(value), id: writes.get(at)?.id };
    });
  }

  readDiagram(diagram) {
    const nodes = diagram.nodes.map((node) =>
      ({ ...node, array: this.arrayOf(node.array), index: indexOf(node.at), text: textOf(node.value) ?? "" }));
    return { ...diagram, nodes, result: diagram.result.map(textOf) };
  }

  placeOf(file, line) {
    const key = `${file}:${line}`;
    if (!this.numbers.has(key)) this.numbers.set(key, this.places.push({ file, line }) - 1);
    return this.numbers.get(key);
  }

  arrayOf(number) {
    return this.arrays.get(number) ?? -1;
  }
}

/** 3 of "x[3]", and of "thread 3". */
function indexOf(at) {
  return Number(/(\d+)\]?$/.exec(at)[1]);
}

function readArray(array) {
  const before = array.before.map(textOf);
  return { ...array, before, size: before.length, shared: array.memory === "shared", bytes: array.element_bytes };
}

function textOf(value) {
  return value === null ? null : `${value}`;
}
