/** The module against the program: every kernel of the textbook, byte for byte. TALLY names the program, MACHINE the module. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { ExpressionError } from "../../site/playground/expression.js";
import { machine, tally } from "./setup.mjs";

const kernels = machine.kernels();

function ofProgram({ kernel, n = "", op = "", input = "", blocks = "" }, ...as) {
  const words = ["explain", kernel, ...as];
  if (n !== "") words.push("--n", n);
  if (op !== "") words.push("--op", op);
  if (input !== "") words.push("--input", input);
  if (blocks === "full") words.push("--full-blocks");
  return execFileSync(tally, words, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "pipe"] });
}

function compare(settings) {
  let wanted = null, refused = null;
  try {
    wanted = ofProgram(settings, "--json");
  } catch (problem) {
    refused = problem.stderr;
  }
  try {
    machine.explain(settings);
  } catch (problem) {
    assert.ok(refused?.includes(problem.message), `${JSON.stringify(settings)}: ${problem.message}, and the program: ${refused}`);
    return false;
  }
  assert.equal(machine.json(), wanted, JSON.stringify(settings));
  return true;
}

test("the kernels are those of the program", () => {
  const named = JSON.parse(execFileSync(tally, ["explain", "--json"], { encoding: "utf8" }));
  assert.deepEqual(kernels.map(({ kernel, title }) => ({ kernel, title })), named);
});

for (const { kernel, only } of kernels)
  test(`${kernel} on every operation and input`, () => {
    for (const n of ["1", "2", "7", "16", "33", "65", "200"]) compare({ kernel, n });
    assert.ok(compare({ kernel, n: "16", blocks: "full" }));
    for (const op of ["product", "min", "max", "join"]) compare({ kernel, n: "12", op });
    const numbers = compare({ kernel, input: "5,0,7,7,2,1,3" });
    assert.ok(numbers || only !== null);
    compare({ kernel, input: "0.5,-2,1e-3,3,1e30" });
  });

test("an operator of the reader's own is the program's, but for the laws that it breaks", () => {
  const laws = /,"broken_laws":\[.*?\],"by_a_loop":\[.*?\](?=,"findings")/;
  for (const op of ["a - b", "a*b+1", "max(a, b) - min(a,b)", "a + b + a*b", "a > b ? a : b", "(a+b)/2", "a % 3 + b", "abs(a) + sqrt(b*b)"])
    for (const settings of [{ kernel: "tree-reduction", input: "5,0,7,7,2,1,3" }, { kernel: "sequential-scan", input: "0.5,-2,1e-3,3" },
                            { kernel: "hillis-steele", n: "11" }]) {
      const wanted = ofProgram({ ...settings, op }, "--json");
      assert.match(wanted, laws);
      machine.explain({ ...settings, op });
      assert.equal(machine.json(), wanted.replace(laws, ""), `${op} in ${JSON.stringify(settings)}`);
    }
  for (const [kernel, op] of [["blelloch", "a + b"], ["blelloch", "max(a, b)"], ["kogge-stone", "a*b"]]) {
    machine.explain({ kernel, n: "16", op });
    assert.equal(machine.json(), ofProgram({ kernel, n: "16", op }, "--json").replace(laws, ""), `${kernel}: the identity of ${op}`);
  }
  assert.equal(compare({ kernel: "blelloch", op: "a*b + 1" }), false, "it has no identity");
  assert.equal(compare({ kernel: "tree-reduction", input: "2000000000,2000000000", op: "a + b" }), false, "it outgrows an int");
  for (const op of ["a +", "a = b", "fetch(a)", "a.b", "a; b", "7", "a(b)", "`a`"])
    assert.throws(() => machine.explain({ kernel: "sklansky", op }), ExpressionError, op);
});

test("pages are those of the program", () => {
  for (const settings of [{ kernel: "brent-kung", n: "16" }, { kernel: "single-pass-look-back", n: "40" }]) {
    machine.explain(settings);
    assert.equal(machine.page(), ofProgram(settings, "--html", "-"));
  }
});

test("refusals are those of the program, and the machine goes on", () => {
  for (const settings of [{ kernel: "no-such" }, { kernel: "blelloch", n: "3000" }, { kernel: "sklansky", input: "1,x" },
                          { kernel: "sequential-addressing-reduction", n: "8", op: "join" }, { kernel: "sklansky", input: "1e400" }])
    assert.equal(compare(settings), false, JSON.stringify(settings));
  assert.ok(compare({ kernel: "sklansky", n: "8" }));
  assert.throws(() => machine.explain({ kernel: "sklansky", n: "0" }), { message: "n is from 1 to 1048576" });
});

test("2048 elements are recorded in less than 100 ms", () => {
  const times = Array.from({ length: 8 }, () => {
    const began = performance.now();
    machine.explain({ kernel: "blelloch", n: "2048", blocks: "full" });
    return performance.now() - began;
  });
  assert.ok(Math.min(...times) < 100, `${times} ms`); // other tests may run beside this one
  assert.ok(JSON.parse(machine.json()).phases.length > 22);
});
