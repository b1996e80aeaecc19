/** Kernels of a reader's own: what they give, and what is said of their mistakes, at which line. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile, elementsFor, runKernel } from "../../site/playground/own_kernel.js";
import { withPlaces } from "../../site/playground/places.js";
import { machine } from "./setup.mjs";

function run(source, { n = 8, op = "sum", result = "inclusive", threads = n, elements = elementsFor(n, op), ...more } = {}) {
  return runKernel(machine, compile(source), { elements, op, result, threads, ...more });
}

/** The problem of a kernel whose line 1 is `function kernel(..) {`. */
function problemOf(body, settings) {
  try {
    run(`function kernel(block, input, out, n, op) {\n${body}\n}`, settings);
  } catch (problem) {
    return [problem.line, problem.message];
  }
  return assert.fail("it ran");
}

const scan = `function kernel(block, input, out, n, op) {
  const x = block.shared(n);
  block.step((t) => { x[t] = input[t]; });
  for (let s = 1; s < n; s *= 2) {
    block.step((t) => {
      if (t >= s) x[t] = op(x[t - s], x[t]);
    });
  }
  block.step((t) => { out[t] = x[t]; });
}`;

test("a race is found at its line, with the right counts beside it", () => {
  const { findings, barriers, operations } = run(scan, { n: 64 });
  assert.equal(findings[0].fault, "race");
  assert.deepEqual([findings[0].line, findings[0].other_line, findings[0].array], [6, 6, "x"]);
  assert.deepEqual([barriers, operations], [8, 64 * 6 - 63]);
});

test("results are those of a loop, for every operation", () => {
  const serial = "function kernel(block, input, out, n, op) { block.step((t) => { if (t > 0) return; let sum = input[0]; out[0] = sum;\nfor (let k = 1; k < n; k++) { sum = op(sum, input[k]); out[k] = sum; } }); }";
  const elements = [3, -1, 7, 0, 4, 1, -6, 3];
  const combine = { sum: (a, b) => a + b, product: (a, b) => (a * b) | 0, min: (a, b) => Math.min(a, b), max: (a, b) => Math.max(a, b) };
  for (const [op, apply] of Object.entries(combine)) {
    const wanted = elements.map((_, k) => elements.slice(0, k + 1).reduce(apply));
    const { out, right, findings } = run(serial, { op, elements });
    assert.deepEqual([out.map(Number), right, findings], [wanted, true, []], op);
  }
  assert.equal(run(serial, { op: "join" }).right, true);
  const swapped = serial.replace("op(sum, input[k])", "op(input[k], sum)");
  assert.equal(run(swapped, { op: "sum" }).right, true);
  assert.equal(run(swapped, { op: "join" }).right, false);
});

test("wrong results are explained", () => {
  const { right, findings } = run("function kernel(block, input, out, n, op) {\n block.step((t) => { out[t] = t > 0 ? op(input[t - 1], input[t]) : input[t]; });\n}");
  assert.equal(right, false);
  assert.deepEqual([findings[0].fault, findings[0].line], ["a result that lacks an element", 2]);
});

test("mistakes have their line", () => {
  assert.deepEqual(problemOf("let x = ;"), [2, "Unexpected token"]);
  assert.deepEqual(problemOf("\nblock.step((t) => { out[t] = undefined; });"), [3, "nothing is assigned to out: the value is undefined"]);
  assert.deepEqual(problemOf("block.step((t) => { out[t / 3] = input[t]; });", {}), [2, "the index of out is 0.3333333333333333, which is not a whole number"]);
  assert.deepEqual(problemOf("block.step((t) => {\n out[t] = 1.5; });"), [3, "what is assigned to out is 1.5, which is not a whole number"]);
  assert.deepEqual(problemOf("block.step((t) => {\n out[t] = 1; });", { op: "join" }), [3, "out holds letters in this run: assign an element, op(a, b) or op.identity, not 1"]);
  assert.deepEqual(problemOf("block.shard(3);"), [2, "there is no function shard here"]);
  assert.deepEqual(problemOf("nothing();"), [2, "nothing is not defined"]);
  assert.deepEqual(problemOf("block.step((t) => {\n block.step((u) => {}); });"), [3, "kernel: a step stands within a step"]);
  assert.deepEqual(problemOf("\nout[0] = input[0];"), [3, "kernel: an access to memory stands outside of the steps, where only what is alike for all threads does"]);
  assert.deepEqual(problemOf("[out[0], out[1]] = [1, 2];"), [2, "write the assignments of this pattern one by one"]);
  assert.deepEqual(problemOf("block.shared(0);")[0], 2);
  assert.throws(() => run("const answer = 42;"), /define kernel/);
  assert.equal(run(scan, { n: 1 }).right, true); // the machine goes on
});

test("faults of memory are findings", () => {
  const faults = (body) => run(`function kernel(block, input, out, n, op) {\n${body}\n}`).findings.map(({ fault, line }) => [fault, line]);
  assert.deepEqual(faults("block.step((t) => { out[t] = input[t + 1]; });")[0], ["out of range", 2]);
  assert.deepEqual(faults("const x = block.shared(n);\nblock.step((t) => {\n out[t] = x[t]; });")[0], ["read of what nobody wrote", 4]);
  assert.deepEqual(faults("const x = block.shared(n);\nblock.each((t) => { x[t] = input[t]; });\nblock.step((t) => { out[t] = x[n - 1 - t]; });")[0], ["race", 4]);
  assert.deepEqual(faults("const own = block.registers();\nblock.each((t) => { own[t] = input[t]; });\nblock.step((t) => {\n out[t] = own[(t + 1) % n]; });")[0], ["register of another thread", 5]);
});

test("a block that waits in vain is stopped, and the reason is found", () => {
  const { findings } = run(`function wait(block, flags) {
  block.step((t) => {
    if (t === 0 && block.index === 0) while (block.loadAcquire(flags, 0) === 0) block.pause();
  });
}
function clear(block, flags) { block.step((t) => { if (t === 0) flags[0] = 0; }); }
function run(device, input, out, n, op) {
  const flags = device.allocateCounts(1);
  device.launch(1, 1, clear, flags);
  device.launch(2, 32, wait, flags);
}`);
  assert.deepEqual([findings[0].fault, findings[0].line], ["no progress", 3]);
});

test("what is played is the page of the tool", () => {
  const { page } = run(scan, { played: scan });
  assert.match(page, /<title>Your kernel<\/title>/);
  assert.match(page, /"header":"kernel.js"/);
  assert.match(page, /block.step\(\(t\) =/);
});

test("places: lines stay, and the meaning of JavaScript too", () => {
  const source = "let a = [1, 2, 3], k = 0;\na[k++] += 4; a[1]++;\nconst o = { a, f(x) { return x?.[0] ?? 7; } };\nreturnValue = [a[0], a[1]++, ++a[2], o.f(a), o.f(null), `${a[1]}`, [...a].map((x) => x * 2)[2], k];";
  const written = withPlaces(source);
  assert.equal(written.split("\n").length, source.split("\n").length);
  const $ = {
    get: (array, at) => array[at], set: (array, at, value) => (array[at] = value),
    change: (array, at, how, givesOld) => { const old = array[at]; array[at] = how(old); return givesOld ? old : array[at]; },
    call: (object, name, words) => object[name](...words), callFunction: (f, words) => f(...words),
  };
  const wanted = new Function(`let returnValue; ${source}; return returnValue;`)(), found = new Function("$", `let returnValue; ${written}; return returnValue;`)($);
  assert.deepEqual(found, wanted);
});

test("x[k]++ is the value before, ++x[k] the one after", () => {
  const { out } = run(`function kernel(block, input, out, n, op) {
  const c = block.sharedCounts(3);
  block.step((t) => { c[0] = 5; c[1] = c[0]++; c[2] = ++c[0]; });
  block.step((t) => { out[0] = 100 * c[0] + 10 * c[1] + c[2]; });
}`, { n: 1, result: "reduction" });
  assert.equal(Number(out[0]), 757);
});

test("floats: results up to the rounding of other brackets, and assignments of numbers", () => {
  const tree = `function kernel(block, input, out, n, op) {
  const x = block.shared(n);
  block.step((t) => { x[t] = input[t]; });
  for (let s = 1; s < n; s *= 2)
    block.step((t) => { if (t % (2 * s) === 0 && t + s < n) x[t] = op(x[t], x[t + s]); });
  block.step((t) => { if (t === 0) out[0] = x[0]; });
}`;
  const elements = Array.from({ length: 200 }, (_, k) => 0.1 * (k % 7));
  const outcome = run(tree, { type: "float", elements, threads: 200, result: "reduction", played: tree });
  assert.deepEqual([outcome.right, outcome.findings], [true, []]);
  assert.match(outcome.page, /"type":"float"/);
  assert.match(outcome.page, /"out":\[59\.[0-9]+\]/);
  const wrong = run(tree.replace("out[0] = x[0]", "out[0] = x[0] + 0.01"), { type: "float", elements, threads: 200, result: "reduction" });
  assert.equal(wrong.right, false);
  assert.deepEqual(problemOf("block.step((t) => {\nout[t] = 'a';\n});", { type: "float", elements: [0.5] }), [3, "what is assigned to out is a, which is not a number"]);
});
