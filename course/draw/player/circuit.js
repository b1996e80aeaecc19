/**
 * The drawing of the data flow. Nodes are dots or, where there is room, shapes with their values. Each is drawn once: what
 * changes from step to step is which are still to come, and what is painted over them.
 */
class Circuit {
  constructor(box, run, flow, onTell, onStep) {
    this.box = box;
    this.run = run;
    this.flow = flow;
    this.onTell = onTell;
    this.onStep = onStep;
    this.position = 0;
    this.latest = new Map(flow.nodes.map((node) => [node.id, node])); // of each value
    this.chosen = null; // a node that stays highlighted
    this.pointed = null; // one that is so while it is pointed at
    box.addEventListener("pointermove", (event) => this.point(this.nodeAt(event)));
    box.addEventListener("pointerleave", () => this.point(null));
    box.addEventListener("click", (event) => this.click(event));
    box.addEventListener("scroll", () => this.keepNames());
    const button = at("fit");
    button.hidden = flow.columns <= 16;
    button.addEventListener("click", () => this.setFit(!this.fit));
    this.setFit(flow.columns > 128);
    new ResizeObserver(() => this.layOut()).observe(box);
  }

  /** Whether all columns are to be in sight, however narrow they become. */
  setFit(fit) {
    this.fit = fit;
    at("fit").setAttribute("aria-pressed", `${fit}`);
    this.width = null;
    this.layOut();
  }

  layOut() {
    const width = this.box.clientWidth;
    if (width === 0 || width === this.width) return;
    this.width = width;
    this.place = new CircuitPlaces(this.flow, width, this.fit);
    this.here = draw("path", { class: "here", d: "M0 -6l9 6l-9 6z" });
    this.bands = this.flow.rows.map((row, number) => this.drawBand(row, number));
    this.names = this.drawNames();
    this.phases = [...this.flow.phases].map(([phase, nodes]) => ({ phase, drawing: this.drawNodes(nodes) }));
    this.over = draw("g", { class: "over" });
    this.reading = draw("path", { class: "reading" });
    this.results = this.drawResults();
    const { place } = this;
    const size = { width: place.width, height: place.height, class: place.isSmall ? "small" : "", "aria-hidden": "true" };
    this.box.replaceChildren(draw("svg", size, ...this.bands, this.drawWires(), this.drawBlocks(), ...this.phases.map((each) => each.drawing),
      this.results, this.reading, this.over, this.names));
    this.show(this.position);
  }

  drawWires() {
    const { place, flow } = this;
    const wires = [], labels = [];
    const every = 2 ** Math.max(0, Math.ceil(Math.log2((flow.columns > 100 ? 34 : 18) / place.pitch)));
    for (let column = 0; column < flow.columns; ++column) {
      wires.push(`M${place.x(column)} ${place.y(0)}V${place.bottom + 4}`);
      if (column % every === 0) labels.push(draw("text", { x: place.x(column), y: 14, class: "index" }, `${column}`));
    }
    return draw("g", {}, draw("path", { class: "wires", d: wires.join("") }), ...labels);
  }

  /** Around what each block does in a launch. */
  drawBlocks() {
    const { place } = this;
    return draw("g", { class: "blocks" }, ...this.flow.blocks.map(({ block, rows, columns }) => {
      const x = place.x(columns[0]) - place.pitch / 2 + 1, y = place.rowTop(rows[0]) + 1;
      const width = (columns[1] - columns[0] + 1) * place.pitch - 2, height = place.rowTop(rows[1] + 1) - y - 1;
      return draw("g", {}, draw("rect", { x, y, width, height, rx: 6 }),
        place.hasValues ? draw("text", { x: x + 5, y: y + 10 }, `block ${block}`) : null);
    }));
  }

  /** The ground of a row; a line below if a barrier follows. */
  drawBand(row, number) {
    const { place } = this;
    const top = place.rowTop(number), bottom = place.rowTop(number + 1);
    const last = this.flow.rows[number + 1]?.phase !== row.phase;
    const barrier = number > 0 && last && this.run.phases[row.phase].barrier;
    return draw("g", { class: "row" },
      draw("rect", { class: "band", x: 0, y: top, width: place.width, height: bottom - top }),
      barrier ? draw("path", { class: "barrier", d: `M14 ${bottom}H${place.width}` }) : null);
  }

  /** The names of the rows stay in sight when the drawing is moved sideways. */
  drawNames() {
    const { place, flow } = this;
    const names = flow.rows.flatMap((row, number) => {
      const middle = (place.rowTop(number) + place.rowTop(number + 1)) / 2;
      return [draw("text", { class: "name", x: 14, y: row.detail ? middle - 2 : middle + 4 }, row.label),
              row.detail ? draw("text", { class: "detail", x: 14, y: middle + 12 }, row.detail) : null];
    });
    const ground = draw("rect", { class: "ground", x: 0, y: 0, width: place.left - 6, height: place.height });
    const result = draw("text", { class: "name", x: 14, y: place.bottom + place.radius + 12 }, "result");
    return draw("g", { class: "names" }, ground, ...names, result, this.here);
  }

  keepNames() {
    this.names.setAttribute("transform", `translate(${this.box.scrollLeft} 0)`);
    this.names.classList.toggle("moved", this.box.scrollLeft > 0);
  }

  /** All shapes of a kind are one path: there may be thousands. */
  drawNodes(nodes) {
    const { place } = this;
    const isMoved = (each) => each.as === "moved" || each.as === "index";
    const edges = (moved) => nodes.flatMap((node) => node.from.filter((each) => isMoved(each) === moved)
      .map((each) => place.edge(each.node, node))).join("");
    return draw("g", { class: "nodes" }, draw("path", { class: "edges", d: edges(false) }),
      draw("path", { class: "edges moved", d: edges(true) }), ...this.drawShapes(nodes));
  }

  drawShapes(nodes) {
    const { place } = this;
    const shapes = [...groupBy(nodes, (node) => node.kind)].map(([kind, alike]) =>
      draw("path", { class: `shape ${kind}`, d: alike.map((node) => place.outline(node)).join("") }));
    if (!place.hasValues) return shapes;
    return [...shapes, ...nodes.map((node) => this.drawValue(node.text, node.column, place.y(node.row), node.kind))];
  }

  drawValue(text, column, y, kind) {
    const size = Math.min(14, (this.place.radius * 3) / Math.max(2, text.length));
    return draw("text", { class: `value of-${kind}`, x: this.place.x(column), y: y + size * 0.36, "font-size": size }, text);
  }

  drawResults() {
    const { place, flow } = this;
    const y = place.bottom + place.radius + 8;
    const shown = place.hasValues ? flow.result : [];
    const values = shown.map((text, column) => (text === null ? null : this.drawValue(text, column, y, "result")));
    return draw("g", { class: "results" }, ...values);
  }

  /** What is done stands out, what the last step has done most of all. */
  show(position) {
    this.position = position;
    if (!this.place) return;
    for (const { phase, drawing } of this.phases) {
      drawing.classList.toggle("now", phase === position - 1 && phase >= 0);
      drawing.classList.toggle("to-come", phase >= position);
    }
    const rows = this.rowsNow();
    this.bands.forEach((band, row) => band.classList.toggle("now", rows.includes(row)));
    this.results.classList.toggle("to-come", position < this.run.phases.length);
    this.showHere(rows);
    this.showReading(rows);
    this.showMadeOf();
  }

  /** A step without a row of its own only reads or copies: rings around what. */
  showReading(rows) {
    const phase = this.run.phases[this.position - 1];
    const ids = rows.length > 0 || !phase ? [] : phase.acts.filter((act) => act.what === "read").map((act) => act.id);
    const nodes = [...new Set(ids)].map((id) => this.latest.get(id)).filter((node) => node);
    this.reading.setAttribute("d", nodes.map((node) => this.place.ring(node)).join(""));
  }

  /** The rows of the last step; none if it has only read. */
  rowsNow() {
    const nodes = this.flow.phases.get(this.position - 1) ?? [];
    return [...new Set(nodes.map((node) => node.row))];
  }

  /** A pointer at the row; between rows if the step has none. */
  showHere(rows) {
    const { place, flow } = this;
    const phase = this.run.phases[this.position - 1];
    const done = flow.nodes.filter((node) => node.phase < this.position && (node.phase < 0 || node.block === phase.block));
    const last = done.reduce((most, node) => Math.max(most, node.row), 0);
    const finished = this.position === this.run.phases.length && rows.length === 0;
    const y = rows.length > 0 ? (place.rowTop(rows[0]) + place.rowTop(rows.at(-1) + 1)) / 2
      : finished ? place.bottom + place.radius + 8 : this.position === 0 ? place.y(0) : place.rowTop(last + 1);
    this.here.setAttribute("transform", `translate(1 ${y})`);
    const { scrollTop, clientHeight } = this.box;
    if (y - place.rowHeight < scrollTop || y + place.rowHeight > scrollTop + clientHeight)
      this.box.scrollTop = y - clientHeight / 2;
    this.keepInSight(this.flow.phases.get(this.position - 1) ?? []);
  }

  /** Moves the drawing sideways if none of the nodes is in sight beside the names of the rows. */
  keepInSight(nodes) {
    const { place } = this;
    const { scrollLeft, clientWidth } = this.box;
    const all = nodes.map((node) => place.x(node.column));
    const isIn = (x) => x - place.radius >= scrollLeft + place.left - 6 && x + place.radius <= scrollLeft + clientWidth;
    if (all.length > 0 && !all.some(isIn)) this.box.scrollLeft = Math.min(...all) - place.left - place.pitch;
  }

  point(node) {
    if (node === this.pointed) return;
    this.pointed = node;
    this.showMadeOf();
  }

  choose(node) {
    this.chosen = node;
    this.showMadeOf();
  }

  /** Paints what the node is made of over the drawing, or where an input goes, with the ways between. */
  showMadeOf() {
    const node = this.pointed ?? this.chosen;
    this.box.classList.toggle("looks-back", node !== null);
    this.over.replaceChildren();
    this.onTell(node);
    if (node === null) return;
    const all = node.from.length > 0 ? madeOf(node) : madeFrom(node), within = new Set(all);
    const ways = all.flatMap((each) => each.from.filter((source) => within.has(source.node))
      .map((source) => this.place.way(source.node, each)));
    this.over.append(draw("path", { class: "ways", d: ways.join("") }), ...this.drawShapes(all),
      draw("path", { class: "itself", d: this.place.ring(node) }));
  }

  inDrawing(event) {
    const area = this.box.getBoundingClientRect();
    return { x: event.clientX - area.left + this.box.scrollLeft, y: event.clientY - area.top + this.box.scrollTop };
  }

  nodeAt(event) {
    const { x, y } = this.inDrawing(event);
    const reach = Math.max(10, this.place.radius + 4);
    let best = null, least = reach * reach;
    for (const node of this.flow.nodes) {
      const distance = (this.place.x(node.column) - x) ** 2 + (this.place.y(node.row) - y) ** 2;
      if (distance <= least) [best, least] = [node, distance];
    }
    return best;
  }

  /** A click on a node chooses it and goes to its step; beside nodes it goes to the first step of the row. */
  click(event) {
    const node = this.nodeAt(event);
    if (node) this.choose(node === this.chosen ? null : node);
    const row = this.place.rowAt(this.inDrawing(event).y);
    this.onStep(node ? node.phase + 1 : row === 0 ? 0 : this.flow.rows[row].phase + 1);
  }

  /** Chooses the next node in the row, or in the column. */
  move(across, down) {
    const from = this.chosen ?? { column: across < 0 ? this.flow.columns : -1, row: Math.max(0, ...this.rowsNow()) };
    const ahead = (node) => (across !== 0 ? (node.column - from.column) * across : (node.row - from.row) * down);
    const inLine = (node) => (across !== 0 ? node.row === from.row : node.column === from.column);
    const nodes = this.flow.nodes.filter((node) => inLine(node) && ahead(node) > 0);
    if (nodes.length > 0) this.choose(nodes.reduce((best, node) => (ahead(node) < ahead(best) ? node : best)));
  }
}
