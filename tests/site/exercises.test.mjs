/** Every exercise: its worked solution passes, its beginning does not, and neither do kernels that are wrong. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { check, runExercise } from "../../site/playground/checking.js";
import { countNames, exercises } from "../../site/playground/exercises.js";
import { compile } from "../../site/playground/own_kernel.js";
import { machine } from "./setup.mjs";

function passes(source, exercise) {
  try {
    return check(machine, source, exercise).passed;
  } catch (problem) {
    assert.equal(problem.constructor.name, "KernelError", problem.stack);
    return false;
  }
}

test("there are at least 25, each with its parts", () => {
  assert.ok(exercises.length >= 25);
  assert.equal(new Set(exercises.map(({ id }) => id)).size, exercises.length);
  for (const { id, title, text, hint, limits, predict, sizes } of exercises) {
    assert.ok(title && text && hint, id);
    for (const count of [predict.count, ...Object.keys(limits)]) assert.ok(count in countNames, `${id}: ${count}`);
    assert.deepEqual([sizes[0], sizes.at(-1), sizes.length], [1, 300, 300], id);
  }
});

for (const exercise of exercises) {
  test(`${exercise.id}: the solution passes`, () => {
    const checked = check(machine, exercise.solution, exercise);
    assert.ok(checked.passed, `n = ${checked.n}: ${checked.text}`);
  });
  test(`${exercise.id}: its beginning is refused, and so is what is wrong`, () => {
    assert.ok(!passes(exercise.start, exercise), "the beginning");
    const swapped = exercise.solution.replaceAll("op(", "last(") + "\nfunction last(a, b) { return b; }\n";
    assert.ok(!passes(swapped, exercise), "operands are lost");
    const nothing = exercise.threads ? "function kernel() {}" : "function run() {}";
    assert.ok(!passes(nothing, exercise), "nothing is written");
  });
  test(`${exercise.id}: a barrier less is found, or there is none to miss`, () => {
    // Of the steps at least one needs its barrier, if a block has several threads and shared memory.
    if (!/block\.shared/.test(exercise.solution)) return;
    const places = [...exercise.solution.matchAll(/block\.step\(/g)].map((each) => each.index);
    const without = (at) => `${exercise.solution.slice(0, at)}block.each(${exercise.solution.slice(at + "block.step(".length)}`;
    assert.ok(places.some((at) => !passes(without(at), exercise)));
  });
  test(`${exercise.id}: the limits bind`, () => {
    const { predict, limits } = exercise;
    const outcome = runExercise(machine, compile(exercise.solution), exercise, 300);
    assert.ok(Number.isInteger(outcome[predict.count]));
    for (const count of Object.keys(limits)) {
      const tight = { ...exercise, limits: { [count]: { text: "less", of: () => outcome[count] - 1 } }, sizes: [300] };
      assert.ok(!check(machine, exercise.solution, tight).passed, count);
    }
  });
}
