/** The site in Firefox: the machine answers as the program, and a reader's first steps. PAGES names the site's folder. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Firefox } from "./firefox.mjs";
import { tally } from "./setup.mjs";

const pages = pathToFileURL(process.env.PAGES ?? new URL("../../build/site/pages", import.meta.url).pathname).href;
const player = "document.getElementById('player').contentDocument";
const plays = `${player}?.getElementById('position')?.textContent.startsWith('0 / ') ?? false`;
const told = (begins) => `document.getElementById('told').textContent.startsWith(${JSON.stringify(begins)})`;
let page;

before(async () => { page = await Firefox.start(); });
after(() => page?.close());

async function open(address) {
  await page.open("about:blank");
  await page.open(`${pages}/${address}`);
}

async function press(button) {
  await page.wait(`!document.getElementById('${button}').disabled`);
  await page.evaluate(`document.getElementById('${button}').click()`);
}

test("every kernel of the textbook: the program's JSON", async () => {
  await open("course/kernels.html");
  await page.wait(plays);
  const kernels = await page.evaluate("[...document.getElementById('kernel').options].map((each) => each.value)");
  assert.ok(kernels.length > 30);
  for (const kernel of kernels) {
    await page.evaluate(`location.hash = "kernel=${kernel}&n=12"`);
    await page.wait(`(text => text && JSON.parse(text).kernel === "${kernel}" && JSON.parse(text).n === 12)(${player}?.getElementById("run")?.textContent)`);
    const wanted = execFileSync(tally, ["explain", kernel, "--n", "12", "--json"], { encoding: "utf8" });
    // Byte for byte; a page writes \u003c for <.
    const shown = await page.evaluate(`${player}.getElementById("run").textContent`);
    assert.equal(shown.replaceAll("\\u003c", "<").trim(), wanted.trim(), kernel);
  }
});

test("a step forward, in the dark", async () => {
  await open("course/kernels.html#kernel=blelloch&n=8");
  await page.wait(plays);
  await page.evaluate(`${player}.getElementById("forward").click()`);
  assert.equal((await page.evaluate(`${player}.getElementById("position").textContent`)).split(" ")[0], "1");
  const grounds = () => page.evaluate(`[document, ${player}].map((each) => each.defaultView.getComputedStyle(each.body).backgroundColor)`);
  const before = await grounds();
  await press("scheme");
  const now = await grounds();
  assert.notEqual(before[0], now[0]);
  assert.equal(before[0] === before[1], now[0] === now[1]);
  assert.notEqual(before[1], now[1]);
  await press("scheme");
});

test("own kernels: a race at its line, a runaway kernel, an exercise", async () => {
  await open("course/write.html");
  await press("run");
  await page.wait("/findings?: kernel.js:8: race/.test(document.getElementById('told').textContent)");
  assert.equal(await page.evaluate("document.querySelector('.cm-lintRange-error')?.textContent"), "if (t >= s) x[t] = op(x[t - s], x[t]);");
  await open(`course/write.html#kernel=${Buffer.from("function kernel() { for (;;) {} }").toString("base64url")}`);
  await press("run");
  await press("stop");
  await page.wait(told("Stopped."));
  await open("course/write.html#exercise=tree");
  await press("show-solution");
  await press("check");
  await page.wait(told("Passed, for every n from 1 to 300."), 60);
});
