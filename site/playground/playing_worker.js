import { serve } from "./worker.js";

/** The worker of the page on which the textbook's kernels run. */
serve({
  kernels: (machine) => machine.kernels(),
  explain: (machine, settings) => {
    machine.explain(settings);
    return { json: machine.json(), page: machine.page() };
  },
});
