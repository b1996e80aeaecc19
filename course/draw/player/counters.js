/** What has been counted: in this step, so far, in all, and by the formula that the course or the kernel's source gives. */
class Counters {
  constructor(box, run, counts) {
    this.run = run;
    this.counts = counts;
    this.lines = countersOf(run);
    this.rows = this.lines.map((line) => this.build(line));
    const heads = ["", "this step", "so far", "in all", "formula"].map((text) => make("th", { scope: "col" }, text));
    box.replaceChildren(make("table", { class: "counters" }, make("thead", {}, make("tr", {}, ...heads)),
      make("tbody", {}, ...this.rows.map((row) => row.whole))));
  }

  build(line) {
    const name = make("th", { scope: "row" }, line.name);
    const now = make("td"), so_far = make("span"), bar = make("span", { class: "bar", "aria-hidden": "true" });
    const all = make("td", { class: "all" }, this.total(line, this.counts).toLocaleString("en"));
    const formula = make("td", { class: "formula" });
    if (line.formula?.text) formula.append(line.formula.text);
    if (line.formula?.value != null) formula.append(make("small", {}, `= ${line.formula.value.toLocaleString("en")}`));
    return { whole: make("tr", { id: `count-${line.id}` }, name, now, make("td", { class: "so-far" }, so_far, bar), all, formula),
             now, so_far, bar };
  }

  total(line, counts) {
    return line.total(counts, this.run);
  }

  show(position) {
    this.rows.forEach((row, number) => {
      const line = this.lines[number];
      const now = position === 0 ? 0 : this.total(line, [this.counts[position - 1]]);
      const so_far = line.total(this.counts.slice(0, position), this.run), all = line.total(this.counts, this.run);
      row.now.textContent = now === 0 ? "\u2013" : now.toLocaleString("en");
      row.so_far.textContent = so_far.toLocaleString("en");
      row.bar.style.setProperty("--part", all === 0 ? 0 : so_far / all);
    });
  }
}

/** What is counted in the algorithm only, and not where elements are loaded and stored, is so counted by the course too. */
function countersOf(run) {
  const sum = (value) => (counts) => counts.reduce((total, each) => total + value(each), 0);
  const algorithm = (value) => sum((each) => (each.transfers ? 0 : value(each)));
  const one_after_other = (value) => (counts) => longestBlocks(counts, value);
  return [
    { id: "operations", name: "operations", total: sum((each) => each.operations), formula: run.formulas.operations },
    { id: "steps", name: "steps", total: one_after_other((each) => each.steps), formula: run.formulas.steps },
    { id: "barriers", name: "barriers", total: one_after_other((each) => each.barriers), formula: run.formulas.barriers },
    { id: "wavefronts", name: "wavefronts", total: algorithm((each) => each.wavefronts) },
    { id: "ideal", name: "without conflicts", total: algorithm((each) => each.ideal) },
    { id: "warp-steps", name: "warp-steps", total: algorithm((each) => each.warpSteps) },
    { id: "divergent", name: "divergent", total: algorithm((each) => each.divergent) },
    { id: "lanes", name: "active lanes", total: algorithm((each) => each.lanes) },
  ];
}

/** Launches follow each other; in each the block counts that has most. What the host does is no launch. */
function longestBlocks(counts, value) {
  const launches = new Map();
  for (const each of counts) {
    if (each.launch < 0) continue;
    if (!launches.has(each.launch)) launches.set(each.launch, new Map());
    const blocks = launches.get(each.launch);
    blocks.set(each.block, (blocks.get(each.block) ?? 0) + value(each));
  }
  let total = 0;
  for (const blocks of launches.values()) total += Math.max(0, ...blocks.values());
  return total;
}
