/**
 * The data flow of a run: a cell for every value that an element, or a thread's register, comes to hold, with the cells
 * that it is made from. Cells have a place: the column of the element, the row of the phase, and a level within the row,
 * above 0 where one thread applies the operator to its own results.
 */
function dataFlow(run) {
  const flow = new FlowReader(run);
  run.phases.forEach((phase, number) => flow.readPhase(phase, number));
  return { cells: flow.cells, rows: flow.rows, columns: flow.columns };
}

class FlowReader {
  constructor(run) {
    this.run = run;
    this.cells = [];
    this.rows = rowsOf(run);
    this.held = run.arrays.map((array) => new Array(array.size).fill(null));
    this.madeBy = new Map(); // the cell of a node
    this.hands = new Map(); // what each thread has read and not yet used
    this.columns = 1;
    run.arrays.forEach((array, number) => {
      array.initial.forEach((text, index) => {
        if (text === null) return;
        this.held[number][index] = this.add({ kind: "input", row: -1, column: index, array: number, index, text });
      });
    });
  }

  add(cell) {
    const made = { id: this.cells.length, level: 0, from: [], phase: -1, array: -1, index: -1, text: "", ...cell };
    this.cells.push(made);
    if (made.column !== null) this.columns = Math.max(this.columns, made.column + 1);
    return made;
  }

  readPhase(phase, number) {
    this.phase = phase;
    this.number = number;
    this.row = this.rows.findIndex((row) => row.launch === phase.launch && row.number === phase.number);
    this.open = new Map(); // of each thread, the operation whose result it has not yet written
    for (const event of phase.events) this.readEvent(event);
    for (const cell of this.open.values()) this.place(cell, cell.column ?? this.columnOfThread(cell.thread));
  }

  readEvent(event) {
    const hand = this.handOf(event.thread);
    if (event.what === "read" || event.what === "atomic") {
      const cell = this.held[event.array][event.index];
      hand.push({ node: event.node, cell, phase: this.number, row: this.row });
    }
    if (event.what === "apply") this.apply(event, hand);
    if (event.what === "write" || event.what === "atomic") this.write(event, hand);
  }

  apply(event, hand) {
    const before = this.open.get(event.thread);
    if (before) this.place(before, before.column ?? this.columnOfThread(event.thread));
    const right = this.take(hand, event.right), left = this.take(hand, event.left);
    const taken = [left, right].filter((entry) => entry !== null);
    const fresh = taken.filter((entry) => entry.phase === this.number && entry.cell).map((entry) => entry.cell.column);
    const cell = this.add({ kind: "operation", row: this.row, phase: this.number, thread: event.thread, text: event.text ?? "",
                            column: fresh.length > 0 ? Math.max(...fresh) : null });
    cell.from = taken.map((entry) => this.asKept(entry, cell)).filter((id) => id !== null);
    cell.level = this.levelAfter(cell.from) + 1;
    this.madeBy.set(event.node, cell);
    this.open.set(event.thread, cell);
  }

  write(event, hand) {
    const open = this.open.get(event.thread);
    const column = this.columnOfElement(event.array, event.index);
    if (open && this.madeBy.get(event.node) === open) {
      this.open.delete(event.thread);
      Object.assign(open, { array: event.array, index: event.index, text: event.text });
      this.place(open, column);
      this.held[event.array][event.index] = open;
      return;
    }
    const entry = this.take(hand, event.node);
    const source = entry ? entry.cell : null;
    const cell = this.add({ kind: source ? "copy" : "constant", row: this.row, phase: this.number, column, array: event.array,
                            index: event.index, text: event.text, thread: event.thread, from: source ? [source.id] : [] });
    cell.level = this.levelAfter(cell.from);
    this.held[event.array][event.index] = cell;
  }

  /** What the thread has read last of that node; else where the node was made. What no operation made is used up. */
  take(hand, node) {
    for (let k = hand.length - 1; k >= 0; --k) if (hand[k].node === node) return hand.splice(k, 1)[0];
    const cell = this.madeBy.get(node);
    return cell ? { node, cell, phase: cell.phase, row: cell.row } : null;
  }

  /** The cell that was read; the register that has kept it where it was read in a step before. */
  asKept(entry, user) {
    if (!entry.cell) return null;
    if (entry.phase === this.number || entry.cell.phase === entry.phase) return entry.cell.id;
    const kept = this.add({ kind: "kept", row: entry.row, phase: entry.phase, column: user.column, text: entry.cell.text,
                            thread: user.thread, from: [entry.cell.id] });
    (user.kept ??= []).push(kept);
    return kept.id;
  }

  place(cell, column) {
    cell.column = column;
    for (const kept of cell.kept ?? []) kept.column = column;
    this.columns = Math.max(this.columns, column + 1);
  }

  levelAfter(from) {
    const levels = from.map((id) => this.cells[id]).filter((cell) => cell.phase === this.number).map((cell) => cell.level);
    return Math.max(0, ...levels);
  }

  handOf(thread) {
    const key = `${this.phase.launch}/${this.phase.block}/${thread}`;
    if (!this.hands.has(key)) this.hands.set(key, []);
    return this.hands.get(key);
  }

  columnOfElement(array, index) {
    return this.run.arrays[array].space === "shared" ? this.phase.block * this.span() + index : index;
  }

  columnOfThread(thread) {
    return this.phase.block * this.span() + thread;
  }

  /** The columns from a block to the next: the largest array of a block of this launch. */
  span() {
    return this.run.spans[this.phase.launch] ?? 0;
  }
}

/** A row for the phases of all blocks that have one number in one launch. */
function rowsOf(run) {
  const rows = [];
  for (const { launch, number } of run.phases)
    if (!rows.some((row) => row.launch === launch && row.number === number)) rows.push({ launch, number });
  return rows.sort((a, b) => a.launch - b.launch || a.number - b.number);
}

/** A cell and all that it is made of, as a set of ids. */
function madeOf(flow, cell) {
  const found = new Set([cell.id]), waiting = [cell.id];
  while (waiting.length > 0)
    for (const id of flow.cells[waiting.pop()].from)
      if (!found.has(id)) {
        found.add(id);
        waiting.push(id);
      }
  return found;
}
