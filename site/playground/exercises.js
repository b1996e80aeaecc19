/**
 * The ladder of exercises. Each is checked by the machine for every n of `sizes`: the result is right, nothing is found, and every count of
 * `limits` is at most its formula. `threads` are those of the block, where the kernel does not launch itself. `op` is "join" where operands
 * must keep their order. `predict` is the count to be guessed before the first run. Of a kernel whose blocks wait, the last block begins first.
 */

const log = (n) => Math.ceil(Math.log2(n));
const powerFrom = (n) => 2 ** log(n);
const everySize = Array.from({ length: 300 }, (_, k) => k + 1);
const sections = (n) => Math.ceil(n / 32);
const warps = (n) => 32 * sections(n);
const each = (n) => n;

/** A limit: what the page shows, and its value. */
const limit = (text, of) => ({ text, of });
const logs = (first) => limit(`${first} + \u2308log\u2082 n\u2309`, (n) => first + log(n));

export const exercises = [
  {
    id: "one-thread-sum",
    title: "A sum by one thread",
    result: "reduction", op: "join", threads: () => 1, limits: { operations: limit("n \u2212 1", (n) => n - 1) },
    predict: { count: "operations", n: 100 },
    text: "Combine the elements of <code>input</code> from left to right with <code>op</code>, and store the result in <code>out[0]</code>. Memory is read and written inside a step, whose function runs for every thread; this block has one thread.",
    hint: "A step is <code>block.step((t) =&gt; { ... })</code>. Begin with <code>input[0]</code>, not with a zero: the operation may be any.",
    start: `function kernel(block, input, out, n, op) {
  block.step((t) => {
    let sum = input[0];
    // combine the others with op(sum, input[k])
    out[0] = sum;
  });
}
`,
    solution: `function kernel(block, input, out, n, op) {
  block.step((t) => {
    let sum = input[0];
    for (let k = 1; k < n; k++) sum = op(sum, input[k]);
    out[0] = sum;
  });
}
`,
  },
  {
    id: "one-thread-scan",
    title: "A scan by one thread",
    result: "inclusive", op: "join", threads: () => 1,
    limits: { operations: limit("n \u2212 1", (n) => n - 1), reads: limit("n", each) },
    predict: { count: "operations", n: 100 },
    text: "The inclusive scan keeps every sum on the way: <code>out[k]</code> combines <code>input[0]</code> to <code>input[k]</code>. Read each element once.",
    hint: "Keep the running sum in a variable; <code>out[k]</code> need not be read again.",
    start: `function kernel(block, input, out, n, op) {
  block.step((t) => {
    let sum = input[0];
    out[0] = sum;
    // and the others
  });
}
`,
    solution: `function kernel(block, input, out, n, op) {
  block.step((t) => {
    let sum = input[0];
    out[0] = sum;
    for (let k = 1; k < n; k++) {
      sum = op(sum, input[k]);
      out[k] = sum;
    }
  });
}
`,
  },
  {
    id: "exclusive-scan",
    title: "What comes before: the exclusive scan",
    result: "exclusive", op: "join", threads: () => 1, limits: { operations: limit("n", each), reads: limit("n", each) },
    predict: { count: "reads", n: 100 },
    text: "In the exclusive scan <code>out[k]</code> combines the elements before <code>input[k]</code>. Nothing is before the first one: <code>out[0]</code> is the identity of the operation.",
    hint: "<code>op.identity</code> is 0 for a sum, but not for a minimum. Store the sum first, then take the element in.",
    start: `function kernel(block, input, out, n, op) {
  block.step((t) => {
    let before = op.identity;
    // store, then combine
  });
}
`,
    solution: `function kernel(block, input, out, n, op) {
  block.step((t) => {
    let before = op.identity;
    for (let k = 0; k < n; k++) {
      out[k] = before;
      before = op(before, input[k]);
    }
  });
}
`,
  },
  {
    id: "two-threads",
    title: "Two threads share the work",
    result: "reduction", op: "join", threads: () => 2,
    limits: { steps: limit("\u2308n/2\u2309", (n) => Math.ceil(n / 2)), barriers: limit("2", () => 2) },
    predict: { count: "steps", n: 100 },
    text: "Thread 0 sums the left half, thread 1 the right one, both at the same time. Then one of them combines the two. They meet in shared memory, and the barrier at the end of a step makes what one has written visible to the other.",
    hint: "<code>const part = block.shared(2)</code>. With one element the right half is empty: an element of shared memory that nobody wrote must not be read.",
    start: `function kernel(block, input, out, n, op) {
  const part = block.shared(2);
  const half = Math.ceil(n / 2);
  block.step((t) => {
    // thread t sums its half into part[t]
  });
  block.step((t) => {
    // one thread combines them
  });
}
`,
    solution: `function kernel(block, input, out, n, op) {
  const part = block.shared(2);
  const half = Math.ceil(n / 2);
  block.step((t) => {
    const begin = t * half, end = Math.min(n, begin + half);
    if (begin >= end) return;
    let sum = input[begin];
    for (let k = begin + 1; k < end; k++) sum = op(sum, input[k]);
    part[t] = sum;
  });
  block.step((t) => {
    if (t === 0) out[0] = n > 1 ? op(part[0], part[1]) : part[0];
  });
}
`,
  },
  {
    id: "tree",
    title: "A tree of sums",
    result: "reduction", op: "join", threads: each,
    limits: { steps: limit("\u2308log\u2082 n\u2309", log), barriers: logs(2), operations: limit("n \u2212 1", (n) => n - 1) },
    predict: { count: "barriers", n: 256 },
    text: "A thread for each element. In every step neighbours are combined, then pairs of neighbours, and so on: 256 elements take 8 steps. Keep the order of the operands, and any n must do.",
    hint: "With stride s, thread t combines <code>x[t]</code> and <code>x[t + s]</code> if t is a multiple of 2s and t + s is still inside.",
    start: `function kernel(block, input, out, n, op) {
  const x = block.shared(n);
  block.step((t) => { x[t] = input[t]; });
  for (let s = 1; s < n; s *= 2) {
    block.step((t) => {
      // which threads combine which elements?
    });
  }
  block.step((t) => { if (t === 0) out[0] = x[0]; });
}
`,
    solution: `function kernel(block, input, out, n, op) {
  const x = block.shared(n);
  block.step((t) => { x[t] = input[t]; });
  for (let s = 1; s < n; s *= 2) {
    block.step((t) => {
      if (t % (2 * s) === 0 && t + s < n) x[t] = op(x[t], x[t + s]);
    });
  }
  block.step((t) => { if (t === 0) out[0] = x[0]; });
}
`,
  },
  {
    id: "whole-warps",
    title: "The first threads work",
    result: "reduction", op: "join", threads: each,
    limits: { divergent: limit("\u2308log\u2082 n\u2309", log), barriers: logs(2) },
    predict: { count: "divergent", n: 256 },
    text: "In the tree, one thread in 2s works, so that every warp is held up by a few of its lanes. Give the same work to the first threads: then at most one warp of each step is divided.",
    hint: "Thread t takes the element k = 2 s t.",
    start: `function kernel(block, input, out, n, op) {
  const x = block.shared(n);
  block.step((t) => { x[t] = input[t]; });
  for (let s = 1; s < n; s *= 2) {
    block.step((t) => {
      if (t % (2 * s) === 0 && t + s < n) x[t] = op(x[t], x[t + s]);
    });
  }
  block.step((t) => { if (t === 0) out[0] = x[0]; });
}
`,
    solution: `function kernel(block, input, out, n, op) {
  const x = block.shared(n);
  block.step((t) => { x[t] = input[t]; });
  for (let s = 1; s < n; s *= 2) {
    block.step((t) => {
      const k = 2 * s * t;
      if (k + s < n) x[k] = op(x[k], x[k + s]);
    });
  }
  block.step((t) => { if (t === 0) out[0] = x[0]; });
}
`,
  },
  {
    id: "no-conflicts",
    title: "A bank for every lane",
    result: "reduction", op: "sum", threads: each,
    limits: { worst_degree: limit("1", () => 1), divergent: limit("\u2308log\u2082 n\u2309 + 1", (n) => log(n) + 1), barriers: logs(2) },
    predict: { count: "wavefronts", n: 64 },
    text: "Elements 2s apart meet in the same banks of shared memory, and their accesses take turns. A sum of numbers may be taken in any order: let neighbouring threads work on neighbouring elements, so that no two lanes of a warp need the same bank.",
    hint: "Halve what is left: thread t adds <code>x[t + half]</code> to <code>x[t]</code>. For an odd rest the middle element waits.",
    start: `function kernel(block, input, out, n, op) {
  const x = block.shared(n);
  block.step((t) => { x[t] = input[t]; });
  let left = n;
  while (left > 1) {
    const half = Math.ceil(left / 2);
    // a step
    left = half;
  }
  block.step((t) => { if (t === 0) out[0] = x[0]; });
}
`,
    solution: `function kernel(block, input, out, n, op) {
  const x = block.shared(n);
  block.step((t) => { x[t] = input[t]; });
  let left = n;
  while (left > 1) {
    const half = Math.ceil(left / 2);
    block.step((t) => { if (t + half < left) x[t] = op(x[t], x[t + half]); });
    left = half;
  }
  block.step((t) => { if (t === 0) out[0] = x[0]; });
}
`,
  },
  {
    id: "add-while-loading",
    title: "The first addition comes with the load",
    result: "reduction", op: "join", threads: (n) => Math.ceil(n / 2),
    limits: { barriers: limit("2 + \u2308log\u2082 \u2308n/2\u2309\u2309", (n) => 2 + log(Math.ceil(n / 2))) },
    predict: { count: "barriers", n: 256 },
    text: "After the first step of the tree half of the threads are never needed again. Take half as many threads, and let each combine its two elements as it loads them.",
    hint: "Thread t reads <code>input[2 * t]</code>, and the next element if there is one.",
    start: `function kernel(block, input, out, n, op) {
  const half = Math.ceil(n / 2); // as many threads
  const x = block.shared(half);
  block.step((t) => {
    // x[t] is made of two elements
  });
  // the tree over half elements
  block.step((t) => { if (t === 0) out[0] = x[0]; });
}
`,
    solution: `function kernel(block, input, out, n, op) {
  const half = Math.ceil(n / 2);
  const x = block.shared(half);
  block.step((t) => {
    const first = input[2 * t];
    x[t] = 2 * t + 1 < n ? op(first, input[2 * t + 1]) : first;
  });
  for (let s = 1; s < half; s *= 2) {
    block.step((t) => {
      const k = 2 * s * t;
      if (k + s < half) x[k] = op(x[k], x[k + s]);
    });
  }
  block.step((t) => { if (t === 0) out[0] = x[0]; });
}
`,
  },
  {
    id: "many-elements",
    title: "Many elements for each thread",
    result: "reduction", op: "sum", threads: () => 32,
    limits: { barriers: limit("7", () => 7), sectors_read: limit("\u2308n/8\u2309", (n) => Math.ceil(n / 8)) },
    predict: { count: "sectors_read", n: 256 },
    text: "32 threads for any n, and never more than 7 barriers: each thread first sums what is its own. Global memory comes in sectors of eight elements; every sector is to be read once, so the lanes of a warp read neighbours.",
    hint: "Thread t takes the elements t, t + 32, t + 64 and so on.",
    start: `function kernel(block, input, out, n, op) {
  const x = block.shared(32);
  block.step((t) => {
    // the sum of this thread's elements
  });
  for (let s = 16; s >= 1; s /= 2) {
    // halve
  }
  block.step((t) => { if (t === 0) out[0] = x[0]; });
}
`,
    solution: `function kernel(block, input, out, n, op) {
  const x = block.shared(32);
  block.step((t) => {
    if (t >= n) return;
    let sum = input[t];
    for (let k = t + 32; k < n; k += 32) sum = op(sum, input[k]);
    x[t] = sum;
  });
  const left = Math.min(n, 32);
  for (let s = 16; s >= 1; s /= 2) {
    block.step((t) => { if (t < s && t + s < left) x[t] = op(x[t], x[t + s]); });
  }
  block.step((t) => { if (t === 0) out[0] = x[0]; });
}
`,
  },
  {
    id: "shuffle",
    title: "Lanes hand values to each other",
    result: "reduction", op: "join", threads: () => 32,
    limits: { wavefronts: limit("0", () => 0), barriers: limit("1", () => 1) },
    predict: { count: "wavefronts", n: 100 },
    text: "The lanes of a warp act together, and can read each other's registers: <code>block.shuffleDown(own, d)</code> gives every lane the value of the lane d above. No shared memory, one barrier.",
    hint: "<code>const own = block.registers()</code>; in <code>block.each</code>, a step without a barrier, <code>own[t]</code> is the thread's value. To keep the order, a thread sums neighbours.",
    start: `function kernel(block, input, out, n, op) {
  const own = block.registers();
  const run = Math.ceil(n / 32);
  block.each((t) => {
    own[t] = op.identity;
    // the sum of the elements run * t and so on
  });
  for (let d = 1; d < 32; d *= 2) {
    const other = block.shuffleDown(own, d);
    // combine
  }
  block.step((t) => { if (t === 0) out[0] = own[0]; });
}
`,
    solution: `function kernel(block, input, out, n, op) {
  const own = block.registers();
  const run = Math.ceil(n / 32);
  block.each((t) => {
    own[t] = op.identity;
    for (let k = run * t; k < Math.min(n, run * (t + 1)); k++) own[t] = op(own[t], input[k]);
  });
  for (let d = 1; d < 32; d *= 2) {
    const other = block.shuffleDown(own, d);
    block.each((t) => { if (t + d < 32) own[t] = op(own[t], other[t]); });
  }
  block.step((t) => { if (t === 0) out[0] = own[0]; });
}
`,
  },
  {
    id: "warps-then-one",
    title: "Every warp, then one",
    result: "reduction", op: "join", threads: warps, limits: { barriers: limit("2", () => 2) },
    predict: { count: "barriers", n: 300 },
    text: "A block of several warps: each reduces its 32 elements by shuffles, the sums of the warps meet in shared memory, and one warp reduces these.",
    hint: "Lanes without an element hold the identity. A shuffle is for all threads of the block, not within a step.",
    start: `function kernel(block, input, out, n, op) {
  const own = block.registers();
  const totals = block.shared(32);
  block.each((t) => { own[t] = t < n ? input[t] : op.identity; });
  // reduce each warp; lane 0 of each stores its sum; reduce the sums
  block.step((t) => { if (t === 0) out[0] = own[0]; });
}
`,
    solution: `function reduceWarps(block, own, op) {
  for (let d = 1; d < 32; d *= 2) {
    const other = block.shuffleDown(own, d);
    block.each((t) => { if (t % 32 + d < 32) own[t] = op(own[t], other[t]); });
  }
}

function kernel(block, input, out, n, op) {
  const own = block.registers();
  const totals = block.shared(32);
  block.each((t) => { own[t] = t < n ? input[t] : op.identity; });
  reduceWarps(block, own, op);
  block.step((t) => { if (t % 32 === 0) totals[t / 32] = own[t]; });
  block.each((t) => { own[t] = t < block.size / 32 ? totals[t] : op.identity; });
  reduceWarps(block, own, op);
  block.step((t) => { if (t === 0) out[0] = own[0]; });
}
`,
  },
  {
    id: "two-launches",
    title: "Several blocks, two launches",
    result: "reduction", op: "join", threads: null, limits: { launches: limit("2", () => 2) },
    predict: { count: "launches", n: 300 },
    text: "Blocks share no barrier. The end of a launch is one: the first launch reduces sections of 32 elements, a block each, and the second reduces their sums. Here you write <code>run</code>, which launches kernels on a device.",
    hint: "The second launch is the same kernel on <code>sums</code>.",
    start: `function reduceSections(block, input, sums, n, op) {
  const begin = 32 * block.index;
  const size = Math.min(32, n - begin);
  // reduce input[begin] .. input[begin + size - 1] into sums[block.index]
}

function run(device, input, out, n, op) {
  const blocks = Math.ceil(n / 32);
  const sums = device.allocate(blocks);
  device.launch(blocks, 32, reduceSections, input, sums, n, op);
  // and the sums
}
`,
    solution: `function reduceSections(block, input, sums, n, op) {
  const begin = 32 * block.index;
  const size = Math.min(32, n - begin);
  const x = block.shared(32);
  block.step((t) => { if (t < size) x[t] = input[begin + t]; });
  for (let s = 1; s < size; s *= 2) {
    block.step((t) => {
      const k = 2 * s * t;
      if (k + s < size) x[k] = op(x[k], x[k + s]);
    });
  }
  block.step((t) => { if (t === 0) sums[block.index] = x[0]; });
}

function run(device, input, out, n, op) {
  const blocks = Math.ceil(n / 32);
  const sums = device.allocate(blocks);
  device.launch(blocks, 32, reduceSections, input, sums, n, op);
  device.launch(1, 32, reduceSections, sums, out, blocks, op);
}
`,
  },
  {
    id: "two-buffers",
    title: "Everybody adds: a scan in log n steps",
    result: "inclusive", op: "join", threads: each,
    limits: { steps: limit("\u2308log\u2082 n\u2309", log), barriers: logs(2) },
    predict: { count: "operations", n: 8 },
    text: "Hillis and Steele: with stride s, every element takes in the one s places before it. It needs more additions than one thread, and only \u2308log\u2082 n\u2309 steps. Read from one buffer and write to another.",
    hint: "Elements before s are copied, since the buffers change places.",
    start: `function kernel(block, input, out, n, op) {
  let from = block.shared(n, "x"), to = block.shared(n, "y");
  block.step((t) => { from[t] = input[t]; });
  for (let s = 1; s < n; s *= 2) {
    block.step((t) => {
      // to[t] is made of from
    });
    [from, to] = [to, from];
  }
  block.step((t) => { out[t] = from[t]; });
}
`,
    solution: `function kernel(block, input, out, n, op) {
  let from = block.shared(n, "x"), to = block.shared(n, "y");
  block.step((t) => { from[t] = input[t]; });
  for (let s = 1; s < n; s *= 2) {
    block.step((t) => { to[t] = t >= s ? op(from[t - s], from[t]) : from[t]; });
    [from, to] = [to, from];
  }
  block.step((t) => { out[t] = from[t]; });
}
`,
  },
  {
    id: "mend-the-race",
    title: "Mend a race",
    result: "inclusive", op: "join", threads: each, limits: { barriers: limit("2 + 2 \u2308log\u2082 n\u2309", (n) => 2 + 2 * log(n)) },
    predict: { count: "barriers", n: 256 },
    text: "This scan has one buffer, as it stands in many lectures. It gives the right result on many machines, on many days: thread t may read <code>x[t - s]</code> before its neighbour has written it, or after. Run it first, and read what is found. Then mend it with one buffer still.",
    hint: "A thread keeps what it has read in a register, and writes in the next step.",
    start: `function kernel(block, input, out, n, op) {
  const x = block.shared(n);
  block.step((t) => { x[t] = input[t]; });
  for (let s = 1; s < n; s *= 2) {
    block.step((t) => {
      if (t >= s) x[t] = op(x[t - s], x[t]);
    });
  }
  block.step((t) => { out[t] = x[t]; });
}
`,
    solution: `function kernel(block, input, out, n, op) {
  const x = block.shared(n);
  block.step((t) => { x[t] = input[t]; });
  for (let s = 1; s < n; s *= 2) {
    const left = block.registers();
    block.step((t) => { if (t >= s) left[t] = x[t - s]; });
    block.step((t) => { if (t >= s) x[t] = op(left[t], x[t]); });
  }
  block.step((t) => { out[t] = x[t]; });
}
`,
  },
  {
    id: "shift",
    title: "From inclusive to exclusive",
    result: "exclusive", op: "join", threads: each, limits: { steps: limit("\u2308log\u2082 n\u2309", log), barriers: logs(2) },
    predict: { count: "steps", n: 256 },
    text: "An exclusive scan is the inclusive one, a place to the right, with the identity in front. Subtracting the element would do for sums of integers alone: a minimum has no minus.",
    hint: "Only the last step differs from the scan with two buffers.",
    start: `function kernel(block, input, out, n, op) {
  let from = block.shared(n, "x"), to = block.shared(n, "y");
  block.step((t) => { from[t] = input[t]; });
  for (let s = 1; s < n; s *= 2) {
    block.step((t) => { to[t] = t >= s ? op(from[t - s], from[t]) : from[t]; });
    [from, to] = [to, from];
  }
  block.step((t) => { out[t] = from[t]; });
}
`,
    solution: `function kernel(block, input, out, n, op) {
  let from = block.shared(n, "x"), to = block.shared(n, "y");
  block.step((t) => { from[t] = input[t]; });
  for (let s = 1; s < n; s *= 2) {
    block.step((t) => { to[t] = t >= s ? op(from[t - s], from[t]) : from[t]; });
    [from, to] = [to, from];
  }
  block.step((t) => { out[t] = t > 0 ? from[t - 1] : op.identity; });
}
`,
  },
  {
    id: "divide-and-conquer",
    title: "Divide and conquer",
    result: "inclusive", op: "join", threads: each,
    limits: {
      steps: limit("\u2308log\u2082 n\u2309", log), barriers: logs(2),
      operations: limit("\u00bd m log\u2082 m, m the power of two from n", (n) => (powerFrom(n) * log(n)) / 2),
    },
    predict: { count: "operations", n: 8 },
    text: "Sklansky: scan both halves, then take the last element of the left half into all of the right one. As few steps as Hillis and Steele, with half of the additions.",
    hint: "In a step of stride s, thread t takes the element k = 2s \u230at/s\u230b + s + (t mod s), whose left half ends just before k \u2212 (t mod s).",
    start: `function kernel(block, input, out, n, op) {
  const x = block.shared(n);
  block.step((t) => { x[t] = input[t]; });
  for (let s = 1; s < n; s *= 2) {
    block.step((t) => {
      // x[k] takes in the last element of the half before it
    });
  }
  block.step((t) => { out[t] = x[t]; });
}
`,
    solution: `function kernel(block, input, out, n, op) {
  const x = block.shared(n);
  block.step((t) => { x[t] = input[t]; });
  for (let s = 1; s < n; s *= 2) {
    block.step((t) => {
      const right = 2 * s * Math.floor(t / s) + s; // where the right half begins
      const k = right + (t % s);
      if (k < n) x[k] = op(x[right - 1], x[k]);
    });
  }
  block.step((t) => { out[t] = x[t]; });
}
`,
  },
  {
    id: "work-efficient",
    title: "Up and down the tree",
    result: "inclusive", op: "join", threads: each,
    limits: { operations: limit("2n", (n) => 2 * n), barriers: limit("2 + 2 \u2308log\u2082 n\u2309", (n) => 2 + 2 * log(n)) },
    predict: { count: "operations", n: 8 },
    text: "Brent and Kung: fewer than two additions an element, as many as one thread needs but for a factor of two. The tree of sums is built upwards; on the way down, sums are handed to the elements between.",
    hint: "Down, with stride s: the element k = 2s(t + 1) \u2212 1 + s takes in the one s before it. The first stride is the largest power of two s with 3s \u2264 n.",
    start: `function kernel(block, input, out, n, op) {
  const x = block.shared(n);
  block.step((t) => { x[t] = input[t]; });
  let s = 1;
  for (; 2 * s <= n; s *= 2) {
    block.step((t) => {
      const k = 2 * s * (t + 1) - 1;
      if (k < n) x[k] = op(x[k - s], x[k]);
    });
  }
  // and down
  block.step((t) => { out[t] = x[t]; });
}
`,
    solution: `function kernel(block, input, out, n, op) {
  const x = block.shared(n);
  block.step((t) => { x[t] = input[t]; });
  let s = 1;
  for (; 2 * s <= n; s *= 2) {
    block.step((t) => {
      const k = 2 * s * (t + 1) - 1;
      if (k < n) x[k] = op(x[k - s], x[k]);
    });
  }
  for (; s >= 1; s /= 2) {
    if (3 * s > n) continue;
    block.step((t) => {
      const k = 2 * s * (t + 1) - 1 + s;
      if (k < n) x[k] = op(x[k - s], x[k]);
    });
  }
  block.step((t) => { out[t] = x[t]; });
}
`,
  },
  {
    id: "identity-at-the-root",
    title: "The identity at the root",
    result: "exclusive", op: "join", threads: each,
    limits: { operations: limit("2m, m the power of two from n", (n) => 2 * powerFrom(n)), barriers: limit("3 + 2 \u2308log\u2082 n\u2309", (n) => 3 + 2 * log(n)) },
    predict: { count: "barriers", n: 256 },
    text: "Blelloch: an exclusive scan. After the tree of sums the root becomes the identity. On the way down each node gives its value to its left child, and that value with the left child's sum to the right one, in this order.",
    hint: "Fill the elements from n to the next power of two with the identity. Going down: keep <code>x[k - s]</code>, set it to <code>x[k]</code>, and <code>x[k]</code> to <code>op(x[k], kept)</code>.",
    start: `function kernel(block, input, out, n, op) {
  let m = 1;
  while (m < n) m *= 2;
  const x = block.shared(m);
  block.step((t) => {
    for (let k = t; k < m; k += block.size) x[k] = k < n ? input[k] : op.identity;
  });
  // up; the root; down
  block.step((t) => { out[t] = x[t]; });
}
`,
    solution: `function kernel(block, input, out, n, op) {
  let m = 1;
  while (m < n) m *= 2;
  const x = block.shared(m);
  block.step((t) => {
    for (let k = t; k < m; k += block.size) x[k] = k < n ? input[k] : op.identity;
  });
  for (let s = 1; s < m; s *= 2) {
    block.step((t) => {
      const k = 2 * s * (t + 1) - 1;
      if (k < m) x[k] = op(x[k - s], x[k]);
    });
  }
  block.step((t) => { if (t === 0) x[m - 1] = op.identity; });
  for (let s = m / 2; s >= 1; s /= 2) {
    block.step((t) => {
      const k = 2 * s * (t + 1) - 1;
      if (k >= m) return;
      const left = x[k - s];
      x[k - s] = x[k];
      x[k] = op(x[k], left);
    });
  }
  block.step((t) => { out[t] = x[t]; });
}
`,
  },
  {
    id: "padding",
    title: "A word of padding",
    result: "inclusive", op: "join", threads: each,
    limits: { operations: limit("2n", (n) => 2 * n), worst_degree: limit("2", () => 2) },
    predict: { count: "wavefronts", n: 64 },
    text: "Up and down the tree, elements 2s apart meet in the same banks. Leave one word free after every 32: the elements move by a bank each time, and at most two lanes meet. The kernel stays what it is; only the index changes.",
    hint: "Element k lies at <code>k + Math.floor(k / 32)</code>.",
    start: `function kernel(block, input, out, n, op) {
  const at = (k) => k; // where element k lies
  const x = block.shared(at(n));
  block.step((t) => { x[at(t)] = input[t]; });
  let s = 1;
  for (; 2 * s <= n; s *= 2) {
    block.step((t) => {
      const k = 2 * s * (t + 1) - 1;
      if (k < n) x[at(k)] = op(x[at(k - s)], x[at(k)]);
    });
  }
  for (; s >= 1; s /= 2) {
    if (3 * s > n) continue;
    block.step((t) => {
      const k = 2 * s * (t + 1) - 1 + s;
      if (k < n) x[at(k)] = op(x[at(k - s)], x[at(k)]);
    });
  }
  block.step((t) => { out[t] = x[at(t)]; });
}
`,
    solution: `function kernel(block, input, out, n, op) {
  const at = (k) => k + Math.floor(k / 32);
  const x = block.shared(at(n));
  block.step((t) => { x[at(t)] = input[t]; });
  let s = 1;
  for (; 2 * s <= n; s *= 2) {
    block.step((t) => {
      const k = 2 * s * (t + 1) - 1;
      if (k < n) x[at(k)] = op(x[at(k - s)], x[at(k)]);
    });
  }
  for (; s >= 1; s /= 2) {
    if (3 * s > n) continue;
    block.step((t) => {
      const k = 2 * s * (t + 1) - 1 + s;
      if (k < n) x[at(k)] = op(x[at(k - s)], x[at(k)]);
    });
  }
  block.step((t) => { out[t] = x[at(t)]; });
}
`,
  },
  {
    id: "runs",
    title: "A run of elements for each thread",
    result: "inclusive", op: "join", threads: () => 32,
    limits: { barriers: limit("1", () => 1), wavefronts: limit("0", () => 0), reads: limit("2n", (n) => 2 * n) },
    predict: { count: "reads", n: 100 },
    text: "A thread sums its run of neighbours, the sums are scanned by shuffles, and each thread scans its run behind what comes before it. Each element is read twice, and one barrier is enough.",
    hint: "After the scan of the sums, <code>block.shuffleUp(own, 1)</code> is the sum before each thread's run; lane 0 has nothing before it.",
    start: `function kernel(block, input, out, n, op) {
  const run = Math.ceil(n / 32);
  const own = block.registers();
  block.each((t) => {
    own[t] = op.identity;
    for (let k = run * t; k < Math.min(n, run * (t + 1)); k++) own[t] = op(own[t], input[k]);
  });
  for (let d = 1; d < 32; d *= 2) {
    const left = block.shuffleUp(own, d);
    // own[t] takes it in from the left
  }
  const before = block.shuffleUp(own, 1);
  block.step((t) => {
    // scan the run
  });
}
`,
    solution: `function kernel(block, input, out, n, op) {
  const run = Math.ceil(n / 32);
  const own = block.registers();
  block.each((t) => {
    own[t] = op.identity;
    for (let k = run * t; k < Math.min(n, run * (t + 1)); k++) own[t] = op(own[t], input[k]);
  });
  for (let d = 1; d < 32; d *= 2) {
    const left = block.shuffleUp(own, d);
    block.each((t) => { if (t >= d) own[t] = op(left[t], own[t]); });
  }
  const before = block.shuffleUp(own, 1);
  block.step((t) => {
    let sum = t > 0 ? before[t] : op.identity;
    for (let k = run * t; k < Math.min(n, run * (t + 1)); k++) {
      sum = op(sum, input[k]);
      out[k] = sum;
    }
  });
}
`,
  },
  {
    id: "rows-of-a-warp",
    title: "Row by row with a carry",
    result: "inclusive", op: "join", threads: () => 32,
    limits: {
      reads: limit("n", each), sectors_read: limit("\u2308n/8\u2309", (n) => Math.ceil(n / 8)),
      barriers: limit("2 \u2308n/32\u2309", (n) => 2 * sections(n)),
    },
    predict: { count: "sectors_read", n: 256 },
    text: "Runs make the lanes of a warp read far apart. Take rows of 32 neighbours instead: a warp scans a row by shuffles, adds the carry of the rows before, and keeps the last value as the next carry.",
    hint: "The carry is a word of shared memory. Whoever writes it comes a step after those who read it.",
    start: `function kernel(block, input, out, n, op) {
  const carry = block.shared(1);
  for (let begin = 0; begin < n; begin += 32) {
    const own = block.registers();
    block.each((t) => { own[t] = begin + t < n ? input[begin + t] : op.identity; });
    // scan the row; add the carry, write the row; keep the carry
  }
}
`,
    solution: `function kernel(block, input, out, n, op) {
  const carry = block.shared(1);
  for (let begin = 0; begin < n; begin += 32) {
    const own = block.registers();
    block.each((t) => { own[t] = begin + t < n ? input[begin + t] : op.identity; });
    for (let d = 1; d < 32; d *= 2) {
      const left = block.shuffleUp(own, d);
      block.each((t) => { if (t >= d) own[t] = op(left[t], own[t]); });
    }
    block.step((t) => {
      if (begin > 0) own[t] = op(carry[0], own[t]);
      if (begin + t < n) out[begin + t] = own[t];
    });
    block.step((t) => { if (t === 31) carry[0] = own[t]; });
  }
}
`,
  },
  {
    id: "scan-by-warps",
    title: "A block's scan with three barriers",
    result: "inclusive", op: "join", threads: warps, limits: { barriers: limit("3", () => 3), reads: limit("n", each) },
    predict: { count: "barriers", n: 300 },
    text: "Every warp scans its 32 elements by shuffles, one warp scans their sums, and each element takes in the sum before its warp. Three barriers, whatever n is.",
    hint: "Lane 31 holds the sum of its warp. All threads take part in a shuffle; those without a sum hold the identity.",
    start: `function scanWarps(block, own, op) {
  // an inclusive scan within each warp
}

function kernel(block, input, out, n, op) {
  const totals = block.shared(32), before = block.shared(32);
  const own = block.registers();
  block.each((t) => { own[t] = t < n ? input[t] : op.identity; });
  scanWarps(block, own, op);
  // the sums of the warps, their scan, and the results
}
`,
    solution: `function scanWarps(block, own, op) {
  for (let d = 1; d < 32; d *= 2) {
    const left = block.shuffleUp(own, d);
    block.each((t) => { if (t % 32 >= d) own[t] = op(left[t], own[t]); });
  }
}

function kernel(block, input, out, n, op) {
  const totals = block.shared(32), before = block.shared(32);
  const own = block.registers();
  block.each((t) => { own[t] = t < n ? input[t] : op.identity; });
  scanWarps(block, own, op);
  block.step((t) => { if (t % 32 === 31) totals[(t - 31) / 32] = own[t]; });
  const sums = block.registers();
  block.each((t) => { sums[t] = t < block.size / 32 ? totals[t] : op.identity; });
  scanWarps(block, sums, op);
  block.step((t) => { if (t < 32) before[t] = sums[t]; });
  block.step((t) => {
    if (t >= n) return;
    out[t] = t < 32 ? own[t] : op(before[Math.floor(t / 32) - 1], own[t]);
  });
}
`,
  },
  {
    id: "mend-the-sums",
    title: "Right for two blocks, wrong for three",
    result: "inclusive", op: "join", threads: null, limits: { launches: limit("3", () => 3) },
    predict: { count: "launches", n: 300 },
    text: "This scan of sections passes every test with up to 64 elements. Beyond that it is wrong: a section needs the sum of <em>all</em> sections before it. Find where, and mend it with three launches.",
    hint: "The sums are an array to be scanned, like any other: <code>scanSections</code> does it, with one block, for up to 32 sections.",
    start: `function scanSections(block, input, out, sums, n, op) {
  const begin = 32 * block.index, size = Math.min(32, n - begin);
  const x = block.shared(32);
  block.step((t) => { if (t < size) x[t] = input[begin + t]; });
  for (let s = 1; s < size; s *= 2) {
    const left = block.registers();
    block.step((t) => { if (t >= s && t < size) left[t] = x[t - s]; });
    block.step((t) => { if (t >= s && t < size) x[t] = op(left[t], x[t]); });
  }
  block.step((t) => { if (t < size) out[begin + t] = x[t]; });
  block.step((t) => { if (t === 0) sums[block.index] = x[size - 1]; });
}

function addSums(block, out, sums, n, op) {
  block.step((t) => {
    const k = 32 * (block.index + 1) + t;
    if (k < n) out[k] = op(sums[block.index], out[k]);
  });
}

function run(device, input, out, n, op) {
  const blocks = Math.ceil(n / 32);
  const sums = device.allocate(blocks);
  device.launch(blocks, 32, scanSections, input, out, sums, n, op);
  if (blocks > 1) device.launch(blocks - 1, 32, addSums, out, sums, n, op);
}
`,
    solution: `function scanSections(block, input, out, sums, n, op) {
  const begin = 32 * block.index, size = Math.min(32, n - begin);
  const x = block.shared(32);
  block.step((t) => { if (t < size) x[t] = input[begin + t]; });
  for (let s = 1; s < size; s *= 2) {
    const left = block.registers();
    block.step((t) => { if (t >= s && t < size) left[t] = x[t - s]; });
    block.step((t) => { if (t >= s && t < size) x[t] = op(left[t], x[t]); });
  }
  block.step((t) => { if (t < size) out[begin + t] = x[t]; });
  block.step((t) => { if (t === 0) sums[block.index] = x[size - 1]; });
}

function addSums(block, out, sums, n, op) {
  block.step((t) => {
    const k = 32 * (block.index + 1) + t;
    if (k < n) out[k] = op(sums[block.index], out[k]);
  });
}

function run(device, input, out, n, op) {
  const blocks = Math.ceil(n / 32);
  const sums = device.allocate(blocks), scanned = device.allocate(blocks), total = device.allocate(1);
  device.launch(blocks, 32, scanSections, input, out, sums, n, op);
  if (blocks === 1) return;
  device.launch(1, 32, scanSections, sums, scanned, total, blocks, op);
  device.launch(blocks - 1, 32, addSums, out, scanned, n, op);
}
`,
  },
  {
    id: "sums-first",
    title: "The sums first",
    result: "inclusive", op: "join", threads: null,
    limits: {
      launches: limit("3", () => 3),
      writes: limit("n + 2 \u2308n/32\u2309", (n) => n + 2 * sections(n)), reads: limit("2n + 2 \u2308n/32\u2309", (n) => 2 * n + 2 * sections(n)),
    },
    predict: { count: "writes", n: 256 },
    text: "Adding the sums afterwards reads and writes every element once more. Reduce the sections first, scan the sums, and scan each section with what comes before it: n writes, not 2n.",
    hint: "The second launch writes the exclusive scan of the sums: the first section has the identity before it. One thread is enough for it.",
    start: `function reduceSections(block, input, sums, n, op) {
  // a block reduces 32 elements
}

function scanSums(block, sums, before, count, op) {
  // before[b] is the sum of the sections before section b
}

function scanSections(block, input, before, out, n, op) {
  // a block scans 32 elements behind before[block.index]
}

function run(device, input, out, n, op) {
  const blocks = Math.ceil(n / 32);
  const sums = device.allocate(blocks), before = device.allocate(blocks);
  device.launch(blocks, 32, reduceSections, input, sums, n, op);
  device.launch(1, 1, scanSums, sums, before, blocks, op);
  device.launch(blocks, 32, scanSections, input, before, out, n, op);
}
`,
    solution: `function reduceSections(block, input, sums, n, op) {
  const begin = 32 * block.index, size = Math.min(32, n - begin);
  const own = block.registers();
  block.each((t) => { own[t] = t < size ? input[begin + t] : op.identity; });
  for (let d = 1; d < 32; d *= 2) {
    const other = block.shuffleDown(own, d);
    block.each((t) => { if (t + d < 32) own[t] = op(own[t], other[t]); });
  }
  block.step((t) => { if (t === 0) sums[block.index] = own[t]; });
}

function scanSums(block, sums, before, count, op) {
  block.step((t) => {
    let sum = op.identity;
    for (let b = 0; b < count; b++) {
      before[b] = sum;
      sum = op(sum, sums[b]);
    }
  });
}

function scanSections(block, input, before, out, n, op) {
  const begin = 32 * block.index, size = Math.min(32, n - begin);
  const own = block.registers();
  block.each((t) => {
    own[t] = t < size ? input[begin + t] : op.identity;
    if (t === 0) own[t] = op(before[block.index], own[t]);
  });
  for (let d = 1; d < 32; d *= 2) {
    const left = block.shuffleUp(own, d);
    block.each((t) => { if (t >= d) own[t] = op(left[t], own[t]); });
  }
  block.step((t) => { if (t < size) out[begin + t] = own[t]; });
}

function run(device, input, out, n, op) {
  const blocks = Math.ceil(n / 32);
  const sums = device.allocate(blocks), before = device.allocate(blocks);
  device.launch(blocks, 32, reduceSections, input, sums, n, op);
  device.launch(1, 1, scanSums, sums, before, blocks, op);
  device.launch(blocks, 32, scanSections, input, before, out, n, op);
}
`,
  },
  {
    id: "chain",
    title: "One pass: a chain of blocks",
    result: "inclusive", op: "join", threads: null, descending: true,
    limits: {
      launches: limit("2", () => 2),
      reads: limit("n + 3 \u2308n/32\u2309", (n) => n + 3 * sections(n)), writes: limit("n + 4 \u2308n/32\u2309 + 1", (n) => n + 4 * sections(n) + 1),
    },
    predict: { count: "reads", n: 256 },
    text: "Every element is read once and written once, if a block waits for the sum that the block before it publishes. But blocks begin in any order, and one that waits for a block that has not begun may wait for ever: here the last block begins first. So a block draws a ticket, and takes the section of that number.",
    hint: "<code>block.atomicAdd(drawn, 0, 1)</code> gives the ticket. <code>block.storeRelease(ready, section, 1)</code> publishes what was written before it; <code>block.loadAcquire</code> sees it.",
    start: `function clear(block, drawn, ready, count) {
  block.step((t) => {
    if (t === 0) drawn[0] = 0;
    for (let k = t; k < count; k += block.size) ready[k] = 0;
  });
}

function chain(block, input, out, drawn, ready, sums, n, op) {
  const section = block.index; // draw a ticket instead
  const begin = 32 * section, size = Math.min(32, n - begin);
  // scan the section; wait for sums[section - 1]; publish sums[section]; write the results
}

function run(device, input, out, n, op) {
  const blocks = Math.ceil(n / 32);
  const drawn = device.allocateCounts(1), ready = device.allocateCounts(blocks), sums = device.allocate(blocks);
  device.launch(1, 32, clear, drawn, ready, blocks);
  device.launch(blocks, 32, chain, input, out, drawn, ready, sums, n, op);
}
`,
    solution: `function clear(block, drawn, ready, count) {
  block.step((t) => {
    if (t === 0) drawn[0] = 0;
    for (let k = t; k < count; k += block.size) ready[k] = 0;
  });
}

function chain(block, input, out, drawn, ready, sums, n, op) {
  const ticket = block.sharedCounts(1), before = block.shared(1);
  block.step((t) => { if (t === 0) ticket[0] = block.atomicAdd(drawn, 0, 1); });
  const section = block.broadcast(ticket, 0);
  const begin = 32 * section, size = Math.min(32, n - begin);
  const own = block.registers();
  block.each((t) => { own[t] = t < size ? input[begin + t] : op.identity; });
  for (let d = 1; d < 32; d *= 2) {
    const left = block.shuffleUp(own, d);
    block.each((t) => { if (t >= d) own[t] = op(left[t], own[t]); });
  }
  block.step((t) => {
    if (t !== size - 1) return;
    let sum = own[t];
    if (section > 0) {
      while (block.loadAcquire(ready, section - 1) === 0) block.pause();
      before[0] = sums[section - 1];
      sum = op(before[0], sum);
    }
    sums[section] = sum;
    block.storeRelease(ready, section, 1);
  });
  block.step((t) => {
    if (t < size) out[begin + t] = section > 0 ? op(before[0], own[t]) : own[t];
  });
}

function run(device, input, out, n, op) {
  const blocks = Math.ceil(n / 32);
  const drawn = device.allocateCounts(1), ready = device.allocateCounts(blocks), sums = device.allocate(blocks);
  device.launch(1, 32, clear, drawn, ready, blocks);
  device.launch(blocks, 32, chain, input, out, drawn, ready, sums, n, op);
}
`,
  },
  {
    id: "look-back",
    title: "A single pass that looks back",
    result: "inclusive", op: "join", threads: null, descending: true,
    limits: {
      launches: limit("2", () => 2),
      reads: limit("n + 4 \u2308n/32\u2309", (n) => n + 4 * sections(n)), writes: limit("n + 6 \u2308n/32\u2309", (n) => n + 6 * sections(n)),
    },
    predict: { count: "writes", n: 256 },
    text: "In the chain each block waits for all before it. Merrill and Garland publish twice: a section's own sum as soon as it is known, and later the sum up to its end. A block looks back over the sections before it and adds up their own sums, until it finds one that has published the sum to its end. Nobody waits for more than the others' first step.",
    hint: "A state for each section: 0 nothing, 1 its own sum, 2 the sum to its end. Take <code>own[k]</code> in from the left, since it comes before what is known already. (The machine of this page runs blocks one after the other, so the first look back finds state 2; <code>tally explain single-pass-look-back</code> runs them together.)",
    start: `function clear(block, drawn, state, count) {
  block.step((t) => {
    if (t === 0) drawn[0] = 0;
    for (let k = t; k < count; k += block.size) state[k] = 0;
  });
}

function lookBack(block, input, out, drawn, state, sums, toEnd, n, op) {
  // a ticket; the scan of the section; publish, look back, publish; the results
}

function run(device, input, out, n, op) {
  const blocks = Math.ceil(n / 32);
  const drawn = device.allocateCounts(1), state = device.allocateCounts(blocks);
  const sums = device.allocate(blocks), toEnd = device.allocate(blocks);
  device.launch(1, 32, clear, drawn, state, blocks);
  device.launch(blocks, 32, lookBack, input, out, drawn, state, sums, toEnd, n, op);
}
`,
    solution: `function clear(block, drawn, state, count) {
  block.step((t) => {
    if (t === 0) drawn[0] = 0;
    for (let k = t; k < count; k += block.size) state[k] = 0;
  });
}

// The sum of all sections before this one; called by one thread.
function sumBefore(block, state, sums, toEnd, section, op) {
  let sum = null;
  for (let k = section - 1; ; k--) {
    let seen = block.loadAcquire(state, k);
    while (seen === 0) {
      block.pause();
      seen = block.loadAcquire(state, k);
    }
    const more = seen === 2 ? toEnd[k] : sums[k];
    sum = sum === null ? more : op(more, sum);
    if (seen === 2) return sum;
  }
}

function lookBack(block, input, out, drawn, state, sums, toEnd, n, op) {
  const ticket = block.sharedCounts(1), before = block.shared(1);
  block.step((t) => { if (t === 0) ticket[0] = block.atomicAdd(drawn, 0, 1); });
  const section = block.broadcast(ticket, 0);
  const begin = 32 * section, size = Math.min(32, n - begin);
  const own = block.registers();
  block.each((t) => { own[t] = t < size ? input[begin + t] : op.identity; });
  for (let d = 1; d < 32; d *= 2) {
    const left = block.shuffleUp(own, d);
    block.each((t) => { if (t >= d) own[t] = op(left[t], own[t]); });
  }
  block.step((t) => {
    if (t !== size - 1) return;
    if (section === 0) {
      toEnd[0] = own[t];
    } else {
      sums[section] = own[t];
      block.storeRelease(state, section, 1);
      const sum = sumBefore(block, state, sums, toEnd, section, op);
      before[0] = sum;
      toEnd[section] = op(sum, own[t]);
    }
    block.storeRelease(state, section, 2);
  });
  block.step((t) => {
    if (t < size) out[begin + t] = section > 0 ? op(before[0], own[t]) : own[t];
  });
}

function run(device, input, out, n, op) {
  const blocks = Math.ceil(n / 32);
  const drawn = device.allocateCounts(1), state = device.allocateCounts(blocks);
  const sums = device.allocate(blocks), toEnd = device.allocate(blocks);
  device.launch(1, 32, clear, drawn, state, blocks);
  device.launch(blocks, 32, lookBack, input, out, drawn, state, sums, toEnd, n, op);
}
`,
  },
].map((each) => ({ sizes: everySize, descending: false, ...each }));

/** The counts that limits and predictions name, in words. */
export const countNames = {
  operations: "applications of op", steps: "steps", barriers: "barriers", launches: "launches", wavefronts: "wavefronts",
  worst_degree: "words in one bank at once", divergent: "divergent warp-steps", reads: "reads of global memory",
  writes: "writes to global memory", sectors_read: "sectors read",
};
