import { Machine } from "./machine.js";

/**
 * A worker around the machine: it takes one request at a time, {id, what, settings}, and answers {id, result} or {id, problem}.
 * `requests[what]` is called with the machine, the settings, and a function to tell the progress. The page ends a worker that runs away.
 */
export function serve(requests) {
  let machine = null;
  self.onmessage = async ({ data: { id, what, settings } }) => {
    try {
      if (what === "start") {
        machine = new Machine(await WebAssembly.compile(settings));
        self.postMessage({ id, result: null });
        return;
      }
      self.postMessage({ id, result: requests[what](machine, settings, (n) => self.postMessage({ id, progress: n })) });
    } catch (problem) {
      self.postMessage({ id, problem: { text: problem.message, line: problem.line ?? 0, column: problem.column ?? 0 } });
    }
  };
}
