/** What a step does, in words. */
function describe(run, flow, position, counts) {
  const phase = run.phases[position - 1];
  const row = flow.rows[flow.phases.get(position - 1)?.[0].row];
  const name = [row?.label, row?.detail].filter((text) => text).join(", ");
  const threads = [...new Set(phase.acts.map((act) => act.thread))];
  const many = (what) => phase.acts.filter((act) => act.what === what).length;
  const { shared, global } = phase, isShortened = phase.listed !== undefined;
  const reads = isShortened ? shared.reads + global.reads : many("read");
  const writes = isShortened ? shared.writes + global.writes : many("write");
  const parts = [
    [counts.operations, "operation"], [reads, "read"], [writes, "write"], [many("atomic"), "atomic change"],
    [many("shuffle"), "shuffle"],
  ].filter(([number]) => number > 0).map(([number, noun]) => counted(number, noun));
  const block = run.blocks > 1 && phase.block >= 0 ? `, block ${phase.block}` : "";
  const working = `${threads.length === 1 ? "thread" : "threads"} ${ranges(threads)}`;
  const who = isShortened ? counted(phase.active, "thread") : threads.length === 0 ? "no thread works" : working;
  const after = phase.barrier ? "then a barrier" : "no barrier";
  return `${phase.kernel}${block}${name ? `, ${name}` : ""}: ${who}${parts.length > 0 ? `, ${parts.join(", ")}` : ""}; ${after}.${listing(phase)}`;
}

/** Which threads are drawn, where they do too much for all to be. */
function listing(phase) {
  return phase.listed === undefined ? "" : ` Drawn are threads 0\u2013${phase.listed - 1} of ${phase.threads}; counts and arrays are of all.`;
}

/** What the page is about, below its title. */
function about(run) {
  const kinds = { inclusive: "inclusive scan", exclusive: "exclusive scan" };
  const input = run.in.length > 16 ? "" : `, ${run.in.join(" ")}`;
  const what = `${kinds[run.result] ?? run.result} by ${run.op} of ${counted(run.n, "element")}${input}`;
  return `${run.source}: ${what}. ${run.changes}`;
}

/** What a node of the circuit is, and what it is made of. */
function describeNode(run, node) {
  const name = node.array < 0 ? `thread ${node.thread}'s register` : `${run.arrays[node.array].name}[${node.index}]`;
  const when = node.phase < 0 ? "from the start" : `after ${node.phase + 1} of ${run.phases.length}`;
  if (node.from.length === 0)
    return `${name} = ${node.text} ${when}: goes into ${counted(madeFrom(node).length - 1, "value")} below.`;
  const all = madeOf(node), inputs = all.filter((each) => each.kind === "input");
  if (inputs.length === 0) return `${name} = ${node.text} ${when}: a constant of the kernel.`;
  const from = run.arrays[inputs[0].array].name;
  const indices = ranges(inputs.map((each) => each.index).sort((a, b) => a - b));
  const operations = all.filter((each) => each.kind === "combined").length;
  const work = operations === 0 ? "moved only" : `by ${counted(operations, "operation")}, ${node.depth} deep`;
  return `${name} = ${node.text} ${when}: made of ${from}[${indices}] ${work}.`;
}
