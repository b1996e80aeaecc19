import { Client } from "./client.js";
import { at, loaded, make, memory, packed, showPlayer, unpackedText } from "./dom.js";
import { countNames, exercises } from "./exercises.js";

/** The page on which a reader writes a kernel: freely, or as an exercise, whose goal the machine checks. */
const client = new Client("writing_worker");
const free = `// Hillis and Steele's scan with one buffer.
// Run it: what is found? Then mend it.
function kernel(block, input, out, n, op) {
  const x = block.shared(n);
  block.step((t) => { x[t] = input[t]; });
  for (let s = 1; s < n; s *= 2) {
    block.step((t) => {
      if (t >= s) x[t] = op(x[t - s], x[t]);
    });
  }
  block.step((t) => { out[t] = x[t]; });
}
`;
let exercise = null; // null: a kernel of the reader's own
let editor;

async function start() {
  editor = (await loaded("editor.js", "tallyEditor"))(at("editor"), { onRun: run, onChange: keep });
  const names = exercises.map(({ id, title }, k) => make("option", { value: id }, `${k + 1}. ${title}`));
  at("exercise").append(make("optgroup", { label: "Exercises" }, ...names));
  at("exercise").addEventListener("change", () => go(at("exercise").value));
  at("run").addEventListener("click", run);
  at("check").addEventListener("click", checkAll);
  at("stop").addEventListener("click", () => client.stop("Stopped."));
  at("reset").addEventListener("click", () => editor.set(exercise === null ? free : exercise.start));
  at("show-solution").addEventListener("click", () => editor.set(exercise.solution));
  at("share").addEventListener("click", share);
  addEventListener("hashchange", readAddress);
  readAddress();
  for (const id of ["run", "check"]) at(id).disabled = false;
}

/** #exercise=tree, or #kernel=.. with the text of one, op, type, result, n and threads. */
function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  choose(exercises.find(({ id }) => id === words.get("exercise")) ?? null);
  if (words.has("kernel")) {
    try {
      editor.set(unpackedText(words.get("kernel")));
    } catch {
      tell("The address holds no kernel: is it whole?", true);
    }
  }
  for (const name of ["op", "type", "result", "n", "threads"]) if (words.has(name)) at(name).value = words.get(name);
}

function go(id) {
  location.hash = id === "" ? "" : `exercise=${id}`;
}

function choose(chosen) {
  exercise = chosen;
  at("exercise").value = chosen?.id ?? "";
  for (const each of document.querySelectorAll(".of-exercise")) each.hidden = chosen === null;
  for (const each of document.querySelectorAll(".of-free")) each.hidden = chosen !== null;
  const kept = memory.read("tally.kernels") ?? {};
  editor.set(kept[chosen?.id ?? "own"] ?? chosen?.start ?? free);
  tell("");
  at("player").hidden = true;
  if (chosen === null) return;
  at("task-title").textContent = `${exercises.indexOf(chosen) + 1}. ${chosen.title}`;
  at("task-text").innerHTML = chosen.text; // of this site's own
  const limits = Object.entries(chosen.limits).map(([count, { text }]) => make("li", {}, `${countNames[count]}: at most ${text}`));
  const kinds = { reduction: "out[0] is the reduction", inclusive: "out is the inclusive scan", exclusive: "out is the exclusive scan" };
  const order = chosen.op === "join" ? "; operands keep their order" : "";
  at("goals").replaceChildren(make("li", {}, `${kinds[chosen.result]}, for every n from 1 to 300${order}`),
    make("li", {}, "the machine finds nothing: no race, no read of what nobody wrote"), ...limits);
  at("hint-text").innerHTML = chosen.hint;
  at("hint").open = at("solution").open = false;
  at("n").value = "8";
  at("prediction-of").textContent = `How many ${countNames[chosen.predict.count]} will your kernel take for n = ${chosen.predict.n}?`;
  at("prediction").value = "";
  at("prediction-result").textContent = "";
  const number = exercises.indexOf(chosen), next = exercises[number + 1];
  at("next").hidden = next === undefined;
  if (next) at("next").href = `#exercise=${next.id}`;
}

function keep() {
  memory.write("tally.kernels", { ...memory.read("tally.kernels"), [exercise?.id ?? "own"]: editor.text() });
}

function settings() {
  const n = Math.max(1, Math.min(1024, Math.trunc(Number(at("n").value)) || 8));
  at("n").value = `${n}`;
  const threads = Math.max(1, Math.min(1024, Math.trunc(Number(at("threads").value)) || n));
  return { source: editor.text(), n, op: at("op").value, type: at("type").value, result: at("result").value, threads, exercise: exercise?.id };
}

async function run() {
  await busy(async () => {
    const asked = settings(), began = performance.now();
    const outcome = await client.ask("run", asked);
    show(outcome);
    const took = `${asked.n} elements in ${Math.round(performance.now() - began)} ms.`;
    if (outcome.findings.length > 0) tell(`${outcome.findings.length === 1 ? "A finding" : `${outcome.findings.length} findings`}: ${outcome.findings[0].text}`, true);
    else tell(outcome.right ? `Right, and nothing is found. ${took}` : "The result is wrong.", !outcome.right);
  });
}

async function checkAll() {
  await busy(async () => {
    const onProgress = (n) => { if (n % 10 === 0) at("progress").textContent = `right up to n = ${n}`; };
    const checked = await client.ask("check", { source: editor.text(), exercise: exercise.id }, { seconds: 10, onProgress });
    at("progress").textContent = "";
    if (!checked.passed) {
      show(checked.outcome);
      at("n").value = `${checked.n}`;
      tell(`n = ${checked.n}: ${checked.text}`, true);
      return;
    }
    const passed = new Set(memory.read("tally.passed") ?? []).add(exercise.id);
    memory.write("tally.passed", [...passed]);
    const { count, n } = exercise.predict, outcome = await client.ask("run", { ...settings(), n });
    show(outcome, false);
    judgePrediction(outcome[count]);
    tell(`Passed, for every n from 1 to 300. ${passed.size} of ${exercises.length} exercises are done.`, false);
    at("next").focus();
  });
}

function judgePrediction(count) {
  const { n, count: name } = exercise.predict, guess = at("prediction").value.trim();
  const said = `For n = ${n} there are ${count} ${countNames[name]}`;
  at("prediction-result").textContent = guess === "" ? `${said}.` : Number(guess) === count ? `${said}: as you said.` : `${said}, and not ${guess}: why?`;
}

/** The counts, the findings at their lines, and the page that plays the run. */
function show(outcome, plays = true) {
  const rows = Object.entries(countNames).map(([count, name]) =>
    make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, `${outcome[count]}`)));
  at("figures").replaceChildren(...rows);
  const lines = outcome.findings.flatMap(({ line, other_line: other, text }) =>
    [line, other].filter((each, k, all) => each > 0 && all.indexOf(each) === k).map((each) => ({ line: each, text })));
  editor.underline(lines);
  if (!plays || !outcome.page) return;
  showPlayer(outcome.page);
}

/** Runs `work` with the buttons off. A problem is told, and underlined at its line. */
async function busy(work) {
  for (const id of ["run", "check"]) at(id).disabled = true;
  at("stop").disabled = false;
  editor.underline([]);
  try {
    await work();
  } catch (problem) {
    const { line } = problem;
    if (line > 0) editor.underline([{ line, text: problem.message }]);
    tell(line > 0 ? `Line ${line}: ${problem.message}` : problem.message, true);
  }
  at("progress").textContent = "";
  for (const id of ["run", "check"]) at(id).disabled = false;
  at("stop").disabled = true;
}

function tell(text, isWrong = false) {
  at("told").textContent = text;
  at("told").className = isWrong ? "wrong" : "right";
}

async function share() {
  const { n, op, type, result, threads } = settings();
  const words = exercise === null ? { op, type, result, n, threads } : { exercise: exercise.id };
  history.replaceState(null, "", `#${new URLSearchParams({ ...words, kernel: packed(editor.text()) })}`);
  try {
    await navigator.clipboard.writeText(location.href);
    tell("The address of this page holds the kernel now, and is copied.");
  } catch {
    tell("The address of this page holds the kernel now.");
  }
}

start().catch((problem) => tell(problem.message, true));
