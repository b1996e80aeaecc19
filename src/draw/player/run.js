/**
 * The run that the page shows, from what `tally explain --json` says. Arrays are named by their place in the list, lines of the source by
 * numbers, values by the text of what they are; null is nothing. A value has an `id` too, which tells apart two that look alike; what is
 * no element (a flag, a count) has none.
 */
function readRun(json, sources) {
  const places = [], numbers = new Map();
  const placeOf = (file, line) => {
    const key = `${file}:${line}`;
    if (!numbers.has(key)) numbers.set(key, places.push({ file, line }) - 1);
    return numbers.get(key);
  };
  const index = new Map(json.arrays.map((array, place) => [array.number, place]));
  const arrayOf = (number) => index.get(number) ?? -1;
  const run = { ...json, sources, places, arrays: json.arrays.map(readArray) };
  run.phases = json.phases.map((phase) => ({
    ...phase,
    where: placeOf(phase.file, phase.line),
    acts: phase.events.map((event) =>
      ({ ...event, text: textOf(event.value), array: arrayOf(event.array), where: placeOf(event.file ?? phase.file, event.line) })),
    changes: phase.changes.map((change) => ({ ...change, text: textOf(change.value), array: arrayOf(change.array) })),
  }));
  const nodes = json.diagram.nodes.map((node) => ({ ...node, text: textOf(node.value) ?? "", array: arrayOf(node.array) }));
  run.diagram = { ...json.diagram, nodes, result: json.diagram.result.map(textOf) };
  run.blocks = Math.max(0, ...run.phases.map((phase) => phase.block)) + 1;
  return run;
}

function readArray(array) {
  return { ...array, shared: array.memory === "shared", bytes: array.element_bytes, before: array.before.map(textOf) };
}

function textOf(value) {
  return value === null ? null : `${value}`;
}
