import { countNames } from "./exercises.js";
import { compile, elementsFor, runKernel } from "./own_kernel.js";

/** Runs a kernel as the exercise asks, with n elements. */
export function runExercise(machine, compiled, exercise, n, played = null) {
  const { op, result, descending } = exercise;
  const threads = exercise.threads?.(n) ?? Math.min(1024, n);
  return runKernel(machine, compiled, { elements: elementsFor(n, op), op, result, threads, descending, played });
}

/**
 * Checks a kernel against an exercise for every size. Returns {passed: true}, or what is wrong first: its n, a text, and the outcome of that
 * run. Throws `KernelError` if the kernel cannot run. `onProgress(n)` hears of each size.
 */
export function check(machine, source, exercise, onProgress = () => {}) {
  const compiled = compile(source);
  for (const n of exercise.sizes) {
    const outcome = runExercise(machine, compiled, exercise, n), wrong = wrongWith(outcome, exercise, n);
    if (wrong !== null) return { passed: false, n, text: wrong, outcome };
    onProgress(n);
  }
  return { passed: true };
}

function wrongWith(outcome, exercise, n) {
  if (outcome.findings.length > 0) return outcome.findings[0].text;
  if (!outcome.right) return "The result is wrong.";
  for (const [count, { text, of }] of Object.entries(exercise.limits))
    if (outcome[count] > of(n)) return `The result is right, but there are ${outcome[count]} ${countNames[count]}; the goal is at most ${text} = ${of(n)}.`;
  return null;
}
