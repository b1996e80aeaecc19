import { check, runExercise } from "./checking.js";
import { exercises } from "./exercises.js";
import { Machine } from "./machine.js";
import { compile, exampleFor, runKernel } from "./own_kernel.js";

/** The machine's worker: it takes one request at a time, and answers {id, result} or {id, problem}. The page ends it if it runs away. */
let machine = null;

const requests = {
  kernels: () => machine.kernels(),
  explain: (settings) => {
    machine.explain(settings);
    return { json: machine.json(), page: machine.page() };
  },
  run: ({ source, n, op, type, result, threads, exercise }) => {
    const compiled = compile(source), asked = exercises.find((each) => each.id === exercise);
    if (asked) return runExercise(machine, compiled, asked, n, source);
    return runKernel(machine, compiled, { elements: exampleFor(n, op, type), op, type, result, threads, played: source });
  },
  check: ({ source, exercise }, onProgress) => check(machine, source, exercises.find((each) => each.id === exercise), onProgress),
};

self.onmessage = async ({ data: { id, what, settings } }) => {
  try {
    if (what === "start") {
      machine = new Machine(await WebAssembly.compile(settings));
      self.postMessage({ id, result: null });
      return;
    }
    self.postMessage({ id, result: requests[what](settings, (n) => self.postMessage({ id, progress: n })) });
  } catch (problem) {
    self.postMessage({ id, problem: { text: problem.message, line: problem.line ?? 0, column: problem.column ?? 0 } });
  }
};
