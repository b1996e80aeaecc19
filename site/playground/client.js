import { loaded } from "./dom.js";

/** The machine as the page sees it: a worker of that name, made of texts that scripts bring, so that it also runs from a folder. */
export class Client {
  constructor(worker) {
    this.requests = new Map();
    this.count = 0;
    this.stops = 0;
    this.parts = Promise.all([loaded("machine.js", "tallyMachine").then(unpacked), loaded(`${worker}.js`, "tallyWorker")]);
    this.begin();
  }

  begin() {
    this.ready = this.start();
    this.ready.catch(() => {}); // whoever asks is told
  }

  async start() {
    const stops = this.stops, [bytes, worker] = await this.parts;
    if (stops !== this.stops) throw new Error(this.reason);
    const address = URL.createObjectURL(new Blob([worker], { type: "text/javascript" }));
    this.worker = new Worker(address);
    URL.revokeObjectURL(address);
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = (event) => this.endAll(event.message || "the machine could not be started");
    await this.send("start", bytes);
  }

  receive({ id, result, problem, progress }) {
    const request = this.requests.get(id);
    if (request === undefined) return;
    if (progress !== undefined) {
      request.onProgress(progress);
      return;
    }
    this.requests.delete(id);
    if (problem) request.refuse(Object.assign(new Error(problem.text), problem));
    else request.answer(result);
  }

  send(what, settings, onProgress = () => {}) {
    const id = ++this.count;
    return new Promise((answer, refuse) => {
      this.requests.set(id, { answer, refuse, onProgress });
      this.worker.postMessage({ id, what, settings });
    });
  }

  /** Asks the worker. If it does not answer in `seconds`, counted anew from each progress, it is ended and begun again. */
  async ask(what, settings, { seconds = 10, onProgress = () => {} } = {}) {
    await this.ready;
    let timer;
    const late = () => {
      this.stop(`The kernel was stopped after ${seconds} seconds: is there a loop that does not end?`);
    };
    const again = () => {
      clearTimeout(timer);
      timer = setTimeout(late, seconds * 1000);
    };
    again();
    try {
      return await this.send(what, settings, (n) => {
        again();
        onProgress(n);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  stop(reason) {
    this.worker?.terminate();
    this.stops++;
    this.reason = reason;
    this.endAll(reason);
    this.begin();
  }

  endAll(reason) {
    for (const { refuse } of this.requests.values()) refuse(new Error(reason));
    this.requests.clear();
  }
}

/** The module's bytes, from base64 of its gzip. */
async function unpacked(base64) {
  const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}
