import { operatorOf } from "./expression.js";

/**
 * The model machine, a WebAssembly module (site/machine), as an object. Errors of the machine are thrown as `MachineError`
 * with the text that the program prints; after one, a fresh instance of the module takes the next call.
 */
export class MachineError extends Error {}

/** Thrown through the module when a block gives up. */
const givenUp = Symbol("given up");

export class Machine {
  /** `module`: a compiled WebAssembly.Module. */
  constructor(module) {
    this.module = module;
    this.onBlock = this.onThread = () => {};
    this.combine = () => NaN;
    this.start();
  }

  start() {
    const unsupported = new Proxy({}, { get: (_, name) => (...words) => this.system(name, words) });
    this.instance = new WebAssembly.Instance(this.module, { env: this.imports(), wasi_snapshot_preview1: unsupported });
    this.exports = this.instance.exports;
    this.exports._initialize();
    this.hasGivenUp = false;
  }

  imports() {
    return {
      page_failed: (at, size) => { throw new MachineError(this.textAt(at, size)); },
      page_give_up: () => { throw givenUp; },
      page_block: (index) => this.onBlock(index),
      page_thread: (thread) => this.onThread(thread),
      page_combine: (a, b) => this.combine(a, b),
      page_guard: (index) => {
        const { __stack_pointer: stack, guarded_block } = this.exports;
        const before = stack.value;
        try {
          guarded_block(index);
        } catch (thrown) {
          if (thrown !== givenUp) throw thrown;
          stack.value = before;
          this.hasGivenUp = true;
        }
      },
    };
  }

  /** The module needs nothing of a system: what the C library asks for at its start is not there. */
  system(name, words) {
    if (name === "proc_exit") throw new MachineError("the machine has ended");
    if (name === "environ_sizes_get") for (const at of words) new DataView(this.exports.memory.buffer).setUint32(at, 0, true);
    return name === "environ_sizes_get" || name === "environ_get" ? 0 : 52; // not supported
  }

  /** Calls a function of the module. An instance that an error has left is replaced; a block that gives up leaves its own as it should be. */
  call(name, ...words) {
    try {
      return this.exports[name](...words);
    } catch (problem) {
      if (problem !== givenUp) this.start();
      throw problem;
    }
  }

  textAt(at, size) {
    return new TextDecoder().decode(new Uint8Array(this.exports.memory.buffer, at, size));
  }

  /** What the last call has given. */
  given() {
    return this.textAt(this.exports.text(), this.exports.text_size());
  }

  giveBytes(bytes) {
    const at = this.exports.room_for_text(bytes.length);
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
  }

  giveText(text) {
    this.giveBytes(new TextEncoder().encode(text));
  }

  /** The kernels of the textbook. */
  kernels() {
    this.call("list_kernels");
    return JSON.parse(this.given());
  }

  /** Runs a kernel of the textbook, as `tally explain KERNEL --n N --op OP --input LIST`. Throws `ExpressionError` for an OP that is none. */
  explain({ kernel, n = "", op = "", input = "", blocks = "" }) {
    if (op !== "" && !/^[a-z]{2,}$/.test(op)) this.combine = operatorOf(op);
    this.giveText([kernel, n, op, input, blocks].join("\n"));
    this.call("explain");
  }

  /** Of the last `explain`: what `--json` prints, and the page of `--html`. */
  json() {
    this.call("explanation_json");
    return this.given();
  }

  page() {
    this.call("explanation_page");
    return this.given();
  }
}
