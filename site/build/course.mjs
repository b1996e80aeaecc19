import fs from "node:fs";
import path from "node:path";
import { escaped, relative } from "./template.mjs";
import { countNames, exercises } from "../playground/exercises.js";

/** The pages of the course on which something runs, and those for its teachers. */
export const kernelsPage = {
  at: "course/kernels.html", title: "Play the kernels", runs: true, wide: true, scripts: ["assets/kernels_page.js"],
  sections: [{ heading: "Play the kernels", anchor: "", text: "Run any kernel of the textbook in the browser: player, circuit, banks, warps, races." }],
  body: `<h1>Play the kernels</h1>
<p>Every kernel of <a href="../docs/textbook/index.html">the textbook</a>, on the model machine, in this page. Nothing is installed, and nothing leaves the page.
The operation is one of the list, or an expression of a and b, such as <code>a*b + 1</code>.</p>
<form id="asked">
  <label>Kernel <select id="kernel"></select></label>
  <label>Elements <input id="n" type="number" min="1" max="2048" value="8"></label>
  <label>Operation <input id="op" list="operations" placeholder="its own" size="11" autocomplete="off" autocapitalize="off"></label>
  <datalist id="operations"><option value="sum"></option><option value="product"></option><option value="min"></option><option value="max"></option>
    <option value="join">letters</option><option value="a + b + a*b">one of your own</option></datalist>
  <label>or these elements <input id="input" placeholder="3,1,7,0,4,1,6,3" size="22"></label>
  <button type="submit">Run</button>
</form>
<p id="changes"></p>
<p><a id="page-of-kernel" href="../docs/textbook/index.html">Its page in the textbook</a> <span id="took" role="status"></span></p>
<p id="problem" role="alert" class="wrong" hidden></p>
<iframe id="player" class="player" title="The steps of the kernel"></iframe>`,
};

export const writePage = {
  at: "course/write.html", title: "Write your own kernel", runs: true, wide: true, scripts: ["assets/write_page.js"],
  sections: [{ heading: "Write your own kernel", anchor: "", text: "An editor in which a kernel is a JavaScript function over a block: run it, see its counts, conflicts and races." }],
  body: `<h1>Write your own kernel</h1>
<form class="choice" onsubmit="return false"><label>Task <select id="exercise"><option value="">A kernel of your own</option></select></label></form>
<section class="of-exercise" aria-labelledby="task-title" hidden>
  <h2 id="task-title"></h2>
  <p id="task-text"></p>
  <p>The machine checks that</p>
  <ul id="goals"></ul>
  <details id="hint"><summary>A hint</summary><p id="hint-text"></p></details>
  <p><label><span id="prediction-of"></span> <input id="prediction" type="number" min="0" size="6"></label> <span id="prediction-result" role="status"></span></p>
</section>
<div class="work">
<div>
  <div id="editor"></div>
  <div class="buttons">
    <button type="button" id="run" disabled title="Ctrl and Enter">Run and play</button>
    <button type="button" id="check" class="of-exercise" disabled hidden>Check every n</button>
    <button type="button" id="stop" disabled>Stop</button>
    <button type="button" id="reset">From the start</button>
    <button type="button" id="share">Link to this kernel</button>
    <a id="next" class="of-exercise" hidden>The next exercise</a>
  </div>
  <form class="choice" onsubmit="return false">
    <label>n <input id="n" type="number" min="1" max="1024" value="8"></label>
    <label class="of-free">Result <select id="result"><option value="inclusive">inclusive scan</option><option value="exclusive">exclusive scan</option>
      <option value="reduction">reduction</option></select></label>
    <label class="of-free">Operation <select id="op"><option>sum</option><option>product</option><option>min</option><option>max</option>
      <option value="join">join letters</option></select></label>
    <label class="of-free">Elements <select id="type"><option value="int">integers</option><option value="float">floats</option></select></label>
    <label class="of-free">Threads <input id="threads" type="number" min="1" max="1024" placeholder="n"></label>
  </form>
  <p id="told" role="status"></p><p id="progress"></p>
  <details id="solution" class="of-exercise" hidden><summary>A worked solution</summary>
    <p>Try first: the check names the first n that is wrong, and what is wrong with it.
    <button type="button" id="show-solution">Put it into the editor</button></p></details>
</div>
<div>
  <h2>Counts</h2>
  <table id="figures" class="figures"><tbody><tr><td>Run the kernel: its operations, barriers, conflicts and more are counted.</td></tr></tbody></table>
  <details><summary>What a kernel may use</summary>
  <dl class="words">
    <dt><code>kernel(block, input, out, n, op)</code></dt><dd>runs as one block. Or define <code>run(device, input, out, n, op)</code>, which launches.</dd>
    <dt><code>block.size</code>, <code>index</code>, <code>count</code></dt><dd>its threads; which block of the launch it is, of how many.</dd>
    <dt><code>block.step((t) =&gt; ...)</code></dt><dd>for every thread t, then a barrier. <code>block.each</code> has no barrier.</dd>
    <dt><code>block.shared(n)</code>, <code>sharedCounts(n)</code></dt><dd>shared memory for elements, or for plain integers.</dd>
    <dt><code>block.registers()</code></dt><dd>a value of each thread: <code>own[t]</code>.</dd>
    <dt><code>block.shuffleUp(own, d)</code>, <code>shuffleDown</code>, <code>shuffleXor</code></dt><dd>registers of other lanes of the warp.</dd>
    <dt><code>block.broadcast(x, k)</code></dt><dd><code>x[k]</code> for all threads, outside of steps.</dd>
    <dt><code>block.atomicAdd(counts, k, v)</code></dt><dd>the count before; <code>storeRelease(x, k, v)</code>, <code>loadAcquire(x, k)</code> and <code>pause()</code> are for blocks that wait for each other.</dd>
    <dt><code>device.launch(blocks, threads, kernel, ...)</code></dt><dd>runs <code>kernel(block, ...)</code>; <code>device.allocate(n)</code> and <code>allocateCounts(n)</code> are global memory.</dd>
    <dt><code>op(a, b)</code>, <code>op.identity</code></dt><dd>the operation. Elements are combined by it alone, so that the machine can follow them.</dd>
  </dl></details>
</div>
</div>
<iframe id="player" class="player" title="The steps of your kernel" hidden></iframe>`,
};

export function exercisesPage() {
  const at = "course/exercises.html";
  const items = exercises.map(({ id, title, limits, text }) =>
    `<li data-exercise="${id}"><a href="write.html#exercise=${id}">${escaped(title)}</a> <span class="state"></span>
    <p>${text}</p>${Object.keys(limits).length ? `<p class="goal">${Object.entries(limits).map(([count, { text: most }]) => `${countNames[count]} \u2264 ${most}`).join("; ")}</p>` : ""}</li>`);
  return {
    at, title: "Exercises", scripts: ["assets/exercises_page.js"],
    sections: exercises.map(({ title, text }) => ({ heading: title, anchor: "", text: text.replace(/<[^>]*>/g, "") })),
    body: `<h1>Exercises</h1>
<p>A ladder of ${exercises.length}, from a sum by one thread to a scan in a single pass. You write each kernel in the page; the machine checks its result for every n from 1 to 300, looks for races, and counts. Before you run it, say how large a count will be.</p>
<p id="passed" role="status"></p>
<ol class="exercises">${items.join("\n")}</ol>`,
  };
}

/** The kernels of the two lectures, with what is said of each. */
const lectures = [
  {
    number: 1, title: "Reductions: one sum, many ways",
    kernels: ["sequential-reduction", "interleaved-reduction", "sequential-addressing-reduction", "in-order-reduction", "padded-reduction", "first-add-on-load-reduction",
              "grid-stride-reduction", "warp-shuffle-reduction", "two-launch-reduction"],
    exercises: ["tree", "whole-warps", "no-conflicts", "shuffle"],
  },
  {
    number: 2, title: "Scans: from one thread to a single pass",
    kernels: ["sequential-scan", "hillis-steele", "hillis-steele-two-buffers", "sklansky", "brent-kung", "blelloch", "blelloch-padded", "warp-shuffle-scan",
              "scan-scan-add", "reduce-scan-scan", "single-pass-look-back"],
    exercises: ["mend-the-race", "work-efficient", "mend-the-sums", "chain"],
  },
];

export function teachPage() {
  const at = "course/teach.html", named = new Map(exercises.map((each, k) => [each.id, { ...each, number: k + 1 }]));
  const parts = lectures.map((lecture) => `<h2 id="lecture-${lecture.number}">Lecture ${lecture.number}. ${lecture.title}</h2>
<p><a href="slides-${lecture.number}.html">The slides</a>: ${lecture.kernels.length} kernels, made from the same sources that run here, on a GPU and in the tests. Arrow keys turn them; they print.</p>
<p>In the room: ask for the count before each run. <a href="kernels.html#kernel=${lecture.kernels[1]}&amp;n=16">Begin with this run</a>, step by step, and let the audience name the threads that work.</p>
<p>Exercises for the hour after it: ${lecture.exercises.map((id) => `<a href="write.html#exercise=${id}">${named.get(id).number}. ${named.get(id).title}</a>`).join(", ")}.</p>`);
  return {
    at, title: "For teachers", sections: [{ heading: "For teachers", anchor: "", text: "How to use the course in two lectures; slides." }],
    body: `<h1>For teachers</h1>
<p>The course fits two lectures of 90 minutes and an hour of exercises after each. Students need a browser, and neither a GPU nor an account: the pages work from a folder, and nothing leaves them.</p>
${parts.join("\n")}
<h2 id="marking">Marking</h2>
<p>A student hands in the address that <em>Link to this kernel</em> makes: the kernel stands in it, behind the #. Open it and press <em>Check every n</em>: the same machine checks it. Progress stays in the student's browser.</p>
<h2 id="two-failures">Two failures to show</h2>
<p>Both pass the tests that many programs have. <a href="write.html#exercise=mend-the-race">A block's scan reads and writes one buffer</a>, and is right as long as the hardware happens to run one warp. <a href="write.html#exercise=mend-the-sums">A scan of sections adds the sum of one section before</a>, and is right for one block and for two. Let the audience find the input that shows it.</p>`,
  };
}

/** The slides of a lecture: for each kernel what it changes, its drawing, its source, and counts for 8 and 1024 elements. */
export function slidesPages(root, kernels, countsOf) {
  return lectures.map((lecture) => {
    const at = `course/slides-${lecture.number}.html`;
    const slides = lecture.kernels.map((name) => {
      const kernel = kernels.find((each) => each.kernel === name);
      const source = coreOf(fs.readFileSync(path.join(root, "course/include/tally/textbook", kernel.header), "utf8"));
      const rows = [8, 1024].map((n) => {
        const c = countsOf(name, n);
        return `<tr><th scope="row">${n}</th><td>${c.operations}</td><td>${c.steps}</td><td>${c.barriers}</td><td>${c.shared.wavefronts + c.shared_in_transfers.wavefronts}</td></tr>`;
      });
      return `<section class="slide" id="${name}"><h2>${escaped(kernel.title)}</h2><p>${escaped(kernel.changes)}</p>
<div class="two"><div><img src="${relative(at, `docs/textbook/pictures/${name}.svg`)}" alt="The steps of ${escaped(kernel.title)} on few elements" loading="lazy">
<div class="scrolls" role="group" aria-label="Counts" tabindex="0"><table><thead><tr><th scope="col">n</th><th scope="col">operations</th><th scope="col">steps</th><th scope="col">barriers</th><th scope="col">wavefronts</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>
<p><a href="kernels.html#kernel=${name}&amp;n=16">Run it</a></p></div>
<pre tabindex="0"><code>${escaped(source)}</code></pre></div></section>`;
    });
    return {
      at, title: `Slides ${lecture.number}: ${lecture.title}`, wide: true, scripts: ["assets/slides.js"], sections: [],
      pictures: lecture.kernels.map((name) => `docs/textbook/pictures/${name}.svg`),
      body: `<h1>Lecture ${lecture.number}. ${lecture.title}</h1><p>Arrow keys turn the slides. <a href="teach.html">How to use them</a>.</p>${slides.join("\n")}`,
    };
  });
}

/** The kernel without its comment, includes and namespace. */
function coreOf(header) {
  const lines = header.split("\n"), first = lines.findIndex((line) => /^(template|struct)/.test(line));
  const last = lines.findLastIndex((line) => line === "};");
  return lines.slice(first, last + 1).filter((line) => !line.startsWith("///")).join("\n");
}
