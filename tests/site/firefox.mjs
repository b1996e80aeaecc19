import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { createRequire } from "node:module";

const WebSocket = createRequire(new URL("../../site/package.json", import.meta.url))("ws");
const names = ["firefox-esr", "firefox"];

/** A headless Firefox with one page, driven by WebDriver BiDi: https://w3c.github.io/webdriver-bidi. Knows no network but this machine's. */
export class Firefox {
  static async start() {
    const found = names.flatMap((name) => process.env.PATH.split(":").map((folder) => path.join(folder, name))).find((each) => fs.existsSync(each));
    if (found === undefined) throw new Error(`No Firefox is here (looked for ${names.join(", ")}): scripts/setup test installs one`);
    const firefox = new Firefox();
    firefox.profile = fs.mkdtempSync(path.join(os.tmpdir(), "tally-firefox-"));
    fs.writeFileSync(path.join(firefox.profile, "user.js"), [
      ["network.proxy.type", 1], ["network.proxy.http", "127.0.0.1"], ["network.proxy.http_port", 9], ["network.proxy.ssl", "127.0.0.1"],
      ["network.proxy.ssl_port", 9], ["network.proxy.no_proxies_on", "127.0.0.1"], ["app.update.enabled", false], ["datareporting.policy.dataSubmissionEnabled", false],
      ["browser.shell.checkDefaultBrowser", false], ["remote.active-protocols", 1],
    ].map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(""));
    firefox.process = spawn(found, ["--headless", "--no-remote", "--profile", firefox.profile, "--remote-debugging-port", "0", "about:blank"],
      { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, HOME: firefox.profile, MOZ_CRASHREPORTER_DISABLE: "1" } });
    const address = await firefox.address();
    firefox.socket = new WebSocket(`${address}/session`);
    await new Promise((done, fail) => firefox.socket.once("open", done).once("error", fail));
    firefox.socket.on("message", (text) => firefox.receive(JSON.parse(text)));
    await firefox.call("session.new", { capabilities: {} });
    const { contexts } = await firefox.call("browsingContext.getTree", {});
    firefox.page = contexts[0].context;
    return firefox;
  }

  constructor() {
    this.requests = new Map();
    this.count = 0;
  }

  /** The address at which it listens, which it prints. */
  address() {
    let said = "";
    return new Promise((done, fail) => {
      const late = setTimeout(() => fail(new Error(`Firefox does not answer:\n${said}`)), 60000);
      this.process.stderr.on("data", (text) => {
        said += text;
        const [, address] = /WebDriver BiDi listening on (ws:\S+)/.exec(said) ?? [];
        if (address === undefined) return;
        clearTimeout(late);
        done(address);
      });
    });
  }

  receive({ id, result, error, message }) {
    const request = this.requests.get(id);
    this.requests.delete(id);
    if (error) request?.fail(new Error(`${error}: ${message}`));
    else request?.done(result);
  }

  call(method, params) {
    const id = ++this.count;
    return new Promise((done, fail) => {
      this.requests.set(id, { done, fail });
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }

  /** Opens an address, and waits until it is loaded. */
  open(url) {
    return this.call("browsingContext.navigate", { context: this.page, url, wait: "complete" });
  }

  /** The value of an expression in the page, through JSON; promises are waited for. */
  async evaluate(expression) {
    const { result, exceptionDetails: problem } = await this.call("script.evaluate", {
      expression: `(async () => JSON.stringify(await (${expression})) ?? "null")()`, target: { context: this.page }, awaitPromise: true });
    if (problem) throw new Error(`${expression}: ${problem.text}`);
    return JSON.parse(result.value);
  }

  /** Waits until an expression is true. */
  async wait(expression, seconds = 30) {
    for (const until = Date.now() + 1000 * seconds; Date.now() < until; await new Promise((done) => setTimeout(done, 50)))
      if (await this.evaluate(expression)) return;
    throw new Error(`In ${seconds} seconds this does not come true: ${expression}`);
  }

  async close() {
    await Promise.race([this.call("browser.close", {}).catch(() => {}), new Promise((done) => setTimeout(done, 5000))]);
    this.socket.terminate();
    if (this.process.exitCode === null) {
      const ended = new Promise((done) => this.process.once("exit", done));
      this.process.kill();
      await ended;
    }
    fs.rmSync(this.profile, { recursive: true, force: true });
  }
}
