/**
 * The data flow of a run: the nodes of its circuit, each with its phase (-1: there from the start), the nodes that it comes from,
 * and how many operations are on the longest way to it.
 */
function dataFlow(run) {
  const { nodes, arrows, rows, columns, result, blocks } = run.diagram;
  const numbers = numbersOfPhases(run);
  const flow = nodes.map((node) => ({ ...node, phase: phaseOf(run, numbers, rows[node.row], node), from: [], to: [] }));
  for (const arrow of arrows) {
    flow[arrow.to].from.push({ node: flow[arrow.from], as: arrow.as });
    flow[arrow.from].to.push({ node: flow[arrow.to], as: arrow.as });
  }
  for (const node of [...flow].sort((a, b) => a.row - b.row))
    node.depth = Math.max(0, ...node.from.map((each) => each.node.depth)) + (node.kind === "combined" ? 1 : 0);
  return { nodes: flow, rows, columns, result, blocks, phases: groupBy(flow, (node) => node.phase) };
}

/** The index of every phase by launch, block and number in the block. */
function numbersOfPhases(run) {
  return new Map(run.phases.map((phase, index) => [`${phase.launch} ${phase.block} ${phase.phase}`, index]));
}

/** The nodes of a row are made in phases of one number, each in that of its block; the host has but one. */
function phaseOf(run, numbers, row, node) {
  if (node.row === 0) return -1;
  const first = run.phases[row.phase];
  return first.launch < 0 ? row.phase : numbers.get(`${first.launch} ${node.block} ${first.phase}`);
}

/** A node and all that it is made of. */
function madeOf(node) {
  return closure(node, (each) => each.from);
}

/** A node and all that is made of it. */
function madeFrom(node) {
  return closure(node, (each) => each.to);
}

function closure(node, neighbours) {
  const found = new Set([node]);
  for (const each of found) for (const next of neighbours(each)) found.add(next.node);
  return [...found];
}

function groupBy(list, key) {
  const groups = new Map();
  for (const each of list) {
    if (!groups.has(key(each))) groups.set(key(each), []);
    groups.get(key(each)).push(each);
  }
  return groups;
}
