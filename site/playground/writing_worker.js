import { check, runExercise } from "./checking.js";
import { exercises } from "./exercises.js";
import { compile, exampleFor, runKernel } from "./own_kernel.js";
import { serve } from "./worker.js";

/** The worker of the page on which a reader's kernel runs. */
serve({
  run: (machine, { source, n, op, type, result, threads, exercise }) => {
    const compiled = compile(source), asked = exercises.find((each) => each.id === exercise);
    if (asked) return runExercise(machine, compiled, asked, n, source);
    return runKernel(machine, compiled, { elements: exampleFor(n, op, type), op, type, result, threads, played: source });
  },
  check: (machine, { source, exercise }, onProgress) => check(machine, source, exercises.find((each) => each.id === exercise), onProgress),
});
