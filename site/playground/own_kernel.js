import { MachineError } from "./machine.js";
import { KernelError, withPlaces } from "./places.js";

/** The operations in the machine's order, and the kinds of results. */
export const operations = ["sum", "product", "min", "max", "join"];
export const results = ["reduction", "inclusive", "exclusive"];
const constant = -2; // the node of a value that no operation has made
const mostElements = 1 << 16;

/** An element of an array, or the result of an operation: it knows how it was made. */
class Value {
  constructor(bits, node, type) {
    Object.assign(this, { bits, node, type });
  }
  valueOf() {
    return this.type === "letters" ? this.toString() : this.type === "float" ? floatOf(this.bits) : this.bits;
  }
  toString() {
    if (this.type !== "letters") return `${this.valueOf()}`;
    return `${(this.bits << 16) >> 16}..${this.bits >> 16}`;
  }
}

const floats = new Float32Array(1), bitsOfFloats = new Int32Array(floats.buffer);
const bitsOf = (float) => ((floats[0] = float), bitsOfFloats[0]);
const floatOf = (bits) => ((bitsOfFloats[0] = bits), floats[0]);

/** An array of the machine. */
class MachineArray {
  constructor(run, number, name, size, hasElements) {
    Object.assign(this, { run, number, name, size, hasElements });
  }
}

/** A value of each thread. */
class Registers {
  constructor(run, number) {
    Object.assign(this, { run, number });
  }
}

/** A run of a kernel on the machine; the methods with a line and a column are those that `withPlaces` writes. */
class Run {
  constructor(machine, op, type) {
    this.machine = machine;
    this.type = type;
    this.line = this.column = 1;
    this.op = (left, right) => this.apply(left, right);
    Object.defineProperty(this.op, "identity", { get: () => this.value(machine.call("own_identity")) });
    Object.defineProperty(this.op, "name", { value: op });
  }

  value(node) {
    return new Value(this.machine.exports.own_bits(), node, this.type);
  }

  fail(text) {
    throw new KernelError(text, this.line, this.column);
  }

  whole(number, what) {
    const plain = number instanceof Value ? number.valueOf() : number;
    if (!Number.isInteger(plain) || Math.abs(plain) > 2 ** 31) this.fail(`${what} is ${plain}, which is not a whole number`);
    return plain;
  }

  number(value, what) {
    if (typeof value !== "number") this.fail(`${what} is ${value}, which is not a number`);
    return value;
  }

  /** What is stored in an array: [bits, node]. */
  stored(value, into) {
    if (value instanceof Value && into.hasElements !== false) return [value.bits, value.node];
    const name = into.name ?? "a register";
    if (value === undefined) this.fail(`nothing is assigned to ${name}: the value is undefined`);
    if (this.type === "letters" && into.hasElements !== false)
      this.fail(`${name} holds letters in this run: assign an element, op(a, b) or op.identity, not ${value}`);
    if (this.type === "float" && into.hasElements !== false) return [bitsOf(this.number(value, `what is assigned to ${name}`)), constant];
    return [this.whole(value, `what is assigned to ${name}`) | 0, constant];
  }

  at(line, column) {
    this.line = line;
    this.column = column;
  }

  get(array, k, line, column) {
    if (array instanceof MachineArray) {
      this.at(line, column);
      const node = this.machine.call("own_read", array.number, this.whole(k, `the index of ${array.name}`), line, column);
      return array.hasElements ? this.value(node) : this.machine.exports.own_bits();
    }
    this.at(line, column);
    if (array instanceof Registers) {
      return this.value(this.machine.call("own_register", array.number, this.whole(k, "the thread of a register"), line, column));
    }
    if (array === undefined || array === null) this.fail("this is no array: its value is undefined");
    return array[k];
  }

  set(array, k, value, line, column) {
    this.at(line, column);
    if (array instanceof MachineArray) {
      const [bits, node] = this.stored(value, array);
      this.machine.call("own_write", array.number, this.whole(k, `the index of ${array.name}`), bits, node, line, column);
    } else if (array instanceof Registers) {
      const [bits, node] = this.stored(value, array);
      this.machine.call("own_set_register", array.number, this.whole(k, "the thread of a register"), bits, node, line, column);
    } else {
      if (array === undefined || array === null) this.fail("this is no array: its value is undefined");
      array[k] = value;
    }
    return value;
  }

  change(array, k, how, givesOld, line, column) {
    const old = this.get(array, k, line, column), changed = how(old);
    this.set(array, k, changed, line, column);
    return givesOld ? old : changed;
  }

  call(object, name, words, line, column) {
    this.at(line, column);
    if (typeof object?.[name] !== "function") this.fail(`there is no function ${name} here`);
    return object[name](...words);
  }

  callFunction(called, words, line, column) {
    this.at(line, column);
    if (typeof called !== "function") this.fail("this is not a function");
    return called(...words);
  }

  apply(left, right) {
    const [a, m] = this.operand(left), [b, n] = this.operand(right);
    return this.value(this.machine.call("own_apply", a, m, b, n, this.line, this.column));
  }

  operand(value) {
    if (value instanceof Value) return [value.bits, value.node];
    if (value === undefined) this.fail("an operand of op is undefined");
    if (this.type === "letters") this.fail(`op joins letters in this run, and ${value} is none`);
    if (this.type === "float") return [bitsOf(this.number(value, "an operand of op")), constant];
    return [this.whole(value, "an operand of op") | 0, constant];
  }

  array(n, name, hasElements, isShared) {
    const size = this.whole(n, `the size of ${name}`);
    if (size < 1 || size > mostElements) this.fail(`${name} is to have ${size} elements; an array has 1 to ${mostElements}`);
    this.machine.giveText(name);
    const number = this.machine.call("own_array", size, hasElements ? 1 : 0, isShared ? 1 : 0);
    return new MachineArray(this, number, name, size, hasElements);
  }

  device() {
    const run = this;
    return {
      allocate: (n, name = "array") => run.array(n, name, true, false),
      allocateCounts: (n, name = "counts") => run.array(n, name, false, false),
      launch: (blocks, threads, kernel, ...words) => run.launch(blocks, threads, kernel, words),
    };
  }

  launch(blocks, threads, kernel, words) {
    if (typeof kernel !== "function") this.fail("launch(blocks, threads, kernel, ...): the third is the kernel's function");
    const [count, size] = [this.whole(blocks, "the number of blocks"), this.whole(threads, "the number of threads")];
    if (count < 1 || count > mostElements) this.fail(`a launch has 1 to ${mostElements} blocks, not ${count}`);
    if (size < 1 || size > 1024) this.fail(`a block has 1 to 1024 threads, not ${size}`);
    const { machine } = this;
    machine.giveText(kernel.name || "kernel");
    machine.onBlock = (index) => kernel(this.block(index, count, size), ...words);
    machine.call("own_launch", count, size);
    if (machine.hasGivenUp) throw new Stuck();
  }

  block(index, count, size) {
    const run = this, { machine } = this;
    const phase = (f, barrier) => {
      if (typeof f !== "function") run.fail("a step takes a function of the thread: block.step((t) => { ... })");
      const outer = machine.onThread;
      machine.onThread = (thread) => f(thread);
      machine.call("own_step", barrier, run.line, run.column);
      machine.onThread = outer;
    };
    const shuffle = (own, kind, distance) => {
      if (!(own instanceof Registers)) run.fail("a shuffle takes registers, which block.registers() makes");
      return new Registers(run, machine.call("own_shuffle", own.number, kind, run.whole(distance, "the distance"), run.line, run.column));
    };
    const array = (x) => (x instanceof MachineArray ? x : run.fail("this takes an array of the machine"));
    return {
      index, count, size,
      step: (f) => phase(f, 1),
      each: (f) => phase(f, 0),
      shared: (n, name = "shared") => run.array(n, name, true, true),
      sharedCounts: (n, name = "counts") => run.array(n, name, false, true),
      registers: () => new Registers(run, machine.call("own_registers")),
      shuffleUp: (own, distance) => shuffle(own, 0, distance),
      shuffleDown: (own, distance) => shuffle(own, 1, distance),
      shuffleXor: (own, distance) => shuffle(own, 2, distance),
      broadcast: (x, k) => run.loaded("own_broadcast", array(x), k),
      loadAcquire: (x, k) => run.loaded("own_acquire", array(x), k),
      storeRelease: (x, k, value) => {
        const [bits, node] = run.stored(value, array(x));
        machine.call("own_release", x.number, run.whole(k, `the index of ${x.name}`), bits, node, run.line, run.column);
      },
      atomicAdd: (x, k, more) => {
        if (array(x).hasElements) run.fail("atomicAdd is for counts, which allocateCounts and sharedCounts make");
        return machine.call("own_add", x.number, run.whole(k, `the index of ${x.name}`), run.whole(more, "what is added"), run.line, run.column);
      },
      pause: () => machine.call("own_pause", run.line, run.column),
    };
  }

  loaded(how, x, k) {
    const node = this.machine.call(how, x.number, this.whole(k, `the index of ${x.name}`), this.line, this.column);
    return x.hasElements ? this.value(node) : this.machine.exports.own_bits();
  }
}

/** A launch that ended because a block waits in vain: the findings say so. */
class Stuck extends Error {}

/** A kernel that can run: `kernel(block, input, out, n, op)`, or `run(device, input, out, n, op)` that launches kernels. */
export function compile(source) {
  const text = withPlaces(source);
  const make = new Function("$", `"use strict"; ${text}\nreturn { kernel: typeof kernel === "function" ? kernel : null, run: typeof run === "function" ? run : null };`);
  return (run) => {
    const { kernel, run: host } = make(run);
    if (kernel === null && host === null)
      throw new KernelError("define kernel(block, input, out, n, op), or run(device, input, out, n, op) that launches kernels", 1);
    return { kernel, host };
  };
}

/** Elements in which a lost or misplaced one shows: integers, or for `join` the letters 0, 1, 2 .. */
export function elementsFor(n, op) {
  const spread = (k) => ((k * 7919) % 2000) - 1000;
  return Array.from({ length: n }, (_, k) =>
    op === "join" ? k | (k << 16) : op === "product" ? (spread(k) % 3 === 0 ? -1 : 1) : spread(k));
}

/** The elements of the textbook's example, for runs that are looked at. */
export function exampleFor(n, op, type = "int") {
  const example = [3, 1, 7, 0, 4, 1, 6, 3];
  if (op !== "join" && type === "float") return Array.from({ length: n }, (_, k) => (op === "product" ? 1 : 0) + example[k % 8] / 10);
  return op === "join" || op === "product" ? elementsFor(n, op) : Array.from({ length: n }, (_, k) => example[k % 8]);
}

/**
 * Runs a kernel that `compile` has made. `elements` are numbers of that `type`, "int" or "float"; of letters their bits. `threads` are those of the one block, where the
 * kernel does not launch itself. Returns counts, findings and the result. With `played` and the source, also the page that plays the run.
 */
export function runKernel(machine, compiled, { elements, op = "sum", type = "int", result, threads, descending = false, played = null }) {
  const run = new Run(machine, op, op === "join" ? "letters" : type), isFloat = run.type === "float", n = elements.length, kind = results.indexOf(result);
  machine.hasGivenUp = false;
  try {
    machine.call("own_begin", operations.indexOf(op), n, isFloat ? 1 : 0, played === null ? 0 : 1, descending ? 1 : 0);
    machine.giveBytes(new Uint8Array((isFloat ? Float32Array : Int32Array).from(elements).buffer));
    machine.call("own_input", kind === 0 ? 1 : n);
    const input = new MachineArray(run, 0, "in", n, true), out = new MachineArray(run, 2, "out", kind === 0 ? 1 : n, true);
    const { kernel, host } = compiled(run);
    if (host !== null) host(run.device(), input, out, n, run.op);
    else run.launch(1, threads, kernel, [input, out, n, run.op]);
  } catch (problem) {
    if (!(problem instanceof Stuck)) throw located(problem, run);
  }
  machine.call("own_end", kind);
  const outcome = JSON.parse(machine.given());
  if (played !== null) {
    machine.giveText(played);
    machine.call("own_source");
    machine.call("own_page", kind);
    outcome.page = machine.given();
  }
  return outcome;
}

/** The problem as one of a line of the kernel: that of the last access, or where JavaScript itself objects. */
function located(problem, run) {
  if (problem instanceof KernelError) return problem;
  if (problem instanceof MachineError || !(problem instanceof Error)) return new KernelError(problem?.message ?? `${problem}`, run.line, run.column);
  const place = /(?:<anonymous>|Function):(\d+):(\d+)/.exec(problem.stack ?? "");
  if (place === null) return new KernelError(problem.message, run.line, run.column);
  return new KernelError(problem.message, Number(place[1]) - linesBefore, Number(place[2]));
}

/** The lines that `new Function` puts before the text of a kernel. */
const linesBefore = 2;
