/** The arrays as they are after a step: those of the grid, and of shared memory those of the block that works. */
class Arrays {
  constructor(box, run, onPoint) {
    this.box = box;
    this.run = run;
    this.parts = run.arrays.map((array, number) => this.build(array, number, onPoint));
    const key = make("p", { class: "array-key" }, make("span", { class: "sample changed" }), " changed by this step, ",
      make("span", { class: "sample read" }), " read by it, \u00b7 nothing written yet");
    box.replaceChildren(...orderOf(run).map((number) => this.parts[number].whole), key);
  }

  build(array, number, onPoint) {
    const used = usedPartOf(this.run, number);
    const cells = Array.from({ length: used }, (_, index) => {
      const cell = make("li", {}, make("span", { class: "index" }, `${index}`), make("span", { class: "value" }));
      cell.addEventListener("pointerenter", () => onPoint(number, index));
      cell.addEventListener("pointerleave", () => onPoint(number, -1));
      return cell;
    });
    const name = make("h3", {}, make("code", {}, array.name), ` ${array.shared ? "shared" : "global"}, ${array.size}`);
    if (used < array.size) name.append(`, of which ${used} used`);
    if (array.shared && array.block >= 0 && this.run.blocks > 1) name.append(`, of block ${array.block}`);
    const size = used > 64 ? "long dense" : used > 8 ? "long" : "";
    const list = make("ol", { class: `array ${size}`, "aria-label": array.name }, ...cells);
    return { whole: make("div", { class: "array-part" }, name, list), cells };
  }

  show(position) {
    const phase = this.run.phases[position - 1];
    const marks = phase ? marksOf(phase) : new Map();
    const values = arraysAt(this.run, position);
    this.parts.forEach((part, number) => {
      part.whole.hidden = !isThere(this.run, this.run.arrays[number], position);
      if (part.whole.hidden) return;
      part.cells.forEach((cell, index) => showElement(cell, values[number][index], marks.get(`${number} ${index}`)));
    });
    this.showInView();
  }

  /** The first element that has changed, where none of them is in sight. */
  showInView() {
    const area = this.box.getBoundingClientRect();
    const changed = [...this.box.querySelectorAll("li.changed")].filter((cell) => cell.offsetParent !== null);
    const seen = changed.some((cell) => {
      const place = cell.getBoundingClientRect();
      return place.top >= area.top && place.bottom <= area.bottom;
    });
    if (changed.length > 0 && !seen) showWithin(this.box, changed[0]);
  }
}

/** Inputs first, then shared memory, then what is written. */
function orderOf(run) {
  const place = (array) => (array.shared ? 1 : array.before.some((text) => text !== null) ? 0 : 2);
  return run.arrays.map((_, number) => number).sort((a, b) => place(run.arrays[a]) - place(run.arrays[b]) || a - b);
}

/** The elements up to the last that is ever touched, or there from the start. */
function usedPartOf(run, number) {
  const touched = run.phases.flatMap((phase) => phase.acts.filter((act) => act.array === number).map((act) => act.index));
  const given = run.arrays[number].before.findLastIndex((text) => text !== null);
  return touched.reduce((most, index) => Math.max(most, index), given) + 1;
}

/** Every array as it is after the first `position` phases: texts; null where nothing has been written. */
function arraysAt(run, position) {
  const values = run.arrays.map((array) => array.before.slice());
  for (const phase of run.phases.slice(0, position))
    for (const change of phase.changes) values[change.array][change.index] = change.text;
  return values;
}

/** The value that an element holds after the first `position` phases. */
function idAt(run, position, array, index) {
  for (const phase of run.phases.slice(0, position).reverse())
    for (const change of phase.changes) if (change.array === array && change.index === index) return change.id;
  return run.arrays[array].ids_before[index];
}

/** What the phase does to elements: "read", "changed", or both. */
function marksOf(phase) {
  const marks = new Map();
  const add = (array, index, mark) => {
    const key = `${array} ${index}`;
    marks.set(key, { ...marks.get(key), [mark]: true });
  };
  for (const act of phase.acts) if (act.what === "read") add(act.array, act.index, "read");
  for (const change of phase.changes) add(change.array, change.index, "changed");
  return marks;
}

/** Shared memory is there while its block works. */
function isThere(run, array, position) {
  if (!array.shared) return true;
  const phase = run.phases[Math.max(0, position - 1)];
  return phase.launch === array.launch && phase.block === array.block;
}

function showElement(cell, text, mark) {
  const value = cell.lastChild;
  const shown = text === null ? "\u00b7" : text;
  if (value.textContent !== shown) value.textContent = shown;
  cell.classList.toggle("unset", text === null);
  cell.classList.toggle("changed", Boolean(mark?.changed));
  cell.classList.toggle("read", Boolean(mark?.read));
  const said = [text === null ? "nothing written yet" : null, mark?.changed ? "changed" : null, mark?.read ? "read" : null];
  cell.title = said.filter((each) => each).join(", ");
}
