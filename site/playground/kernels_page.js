import { Client } from "./client.js";
import { at, make, showPlayer } from "./dom.js";

/** The page on which the textbook's kernels run. What is asked for stands in the address, behind the #. */
const client = new Client("playing_worker");
const fields = ["kernel", "n", "op", "input"];
let kernels = [], asked = 0;

async function start() {
  kernels = await client.ask("kernels");
  at("kernel").replaceChildren(...kernels.map(({ kernel, title }) => make("option", { value: kernel }, title)));
  at("kernel").value = "brent-kung";
  readAddress();
  for (const name of fields) at(name).addEventListener("change", run);
  at("asked").addEventListener("submit", (event) => {
    event.preventDefault();
    run();
  });
  addEventListener("hashchange", () => {
    readAddress();
    run();
  });
  run();
}

function readAddress() {
  const words = new URLSearchParams(location.hash.slice(1));
  for (const name of fields) if (words.has(name)) at(name).value = words.get(name);
}

async function run() {
  const number = ++asked, settings = Object.fromEntries(fields.map((name) => [name, at(name).value.trim()]));
  const kernel = kernels.find((each) => each.kernel === settings.kernel);
  if (kernel === undefined) return say("There is no such kernel.");
  if (settings.input !== "") settings.n = "";
  const words = new URLSearchParams(Object.entries(settings).filter(([, value]) => value !== ""));
  history.replaceState(null, "", `#${words}`);
  at("page-of-kernel").href = `../docs/textbook/${kernel.kernel}.html`;
  const limit = kernel.most > 0 ? ` Takes up to ${kernel.most} elements.` : "";
  at("changes").textContent = `${kernel.source}. ${kernel.changes}${limit}`;
  const began = performance.now();
  try {
    const { json, page } = await client.ask("explain", settings);
    if (number !== asked) return;
    const { findings, n } = JSON.parse(json);
    say("");
    showPlayer(page);
    at("took").textContent = `${n} elements, recorded and drawn in ${Math.round(performance.now() - began)} ms; ${findings.length} findings.`;
  } catch (problem) {
    if (number === asked) say(problem.message);
  }
}

function say(text) {
  at("problem").textContent = text;
  at("problem").hidden = text === "";
  if (text !== "") at("took").textContent = "";
}

start().catch((problem) => say(problem.message));
