import fs from "node:fs";
import { Machine } from "../../site/playground/machine.js";

/** The machine under test, and the program that it is compared with. */
const folder = new URL("../../build/", import.meta.url);
export const tally = process.env.TALLY ?? new URL("tally", folder).pathname;
const file = process.env.MACHINE ?? new URL("site/machine/machine.wasm", folder);
export const machine = new Machine(await WebAssembly.compile(fs.readFileSync(file)));
