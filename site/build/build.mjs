/**
 * build.mjs ROOT MACHINE OUTPUT: the site of the repository ROOT in the folder OUTPUT, with the module MACHINE (machine.wasm). Its links are
 * checked; a broken one ends the program.
 */
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import esbuild from "esbuild";
import { exercisesPage, kernelsPage, slidesPages, teachPage, writePage } from "./course.mjs";
import { Documents, placeOf } from "./documents.mjs";
import { brokenLinks } from "./links.mjs";
import { page, relative } from "./template.mjs";
import { Machine } from "../playground/machine.js";

const [root, machineFile, output] = process.argv.slice(2).map((each) => path.resolve(each));
const here = import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname);
const write = (at, content) => {
  fs.mkdirSync(path.dirname(path.join(output, at)), { recursive: true });
  fs.writeFileSync(path.join(output, at), content);
};
fs.rmSync(output, { recursive: true, force: true });

// The documents
const documents = new Documents(root);
const inFolder = (folder, settings = {}) =>
  fs.readdirSync(path.join(root, folder), settings).filter((each) => each.endsWith(".md")).sort().map((each) => `${folder}/${each}`);
const textbook = ["docs/textbook/index.md", ...inFolder("docs/textbook").filter((each) => !each.endsWith("/index.md"))];
const applications = ["docs/applications/index.md", ...inFolder("docs/applications").filter((each) => !each.endsWith("/index.md"))];
const measurements = ["docs/measurements/README.md", ...inFolder("docs/measurements", { recursive: true }).filter((each) => !each.endsWith("/README.md"))];
const others = ["CONTRIBUTING.md", "CHANGELOG.md"];
const read = (files) => files.map((each) => documents.read(each));
const groups = [
  { heading: "Tally", pages: read(["README.md", ...inFolder("docs")]) },
  { heading: "Applications", pages: read(applications) },
  { heading: "Textbook", pages: inOrderOfTextbook(read(textbook)) },
  { heading: "Measurements", pages: read(measurements) },
  { heading: "The project", pages: read(others) },
];

// The course, whose slides have counts of the machine
const bytes = fs.readFileSync(machineFile), machine = new Machine(await WebAssembly.compile(bytes));
const countsOf = (kernel, n) => {
  machine.explain({ kernel, n: `${n}`, blocks: "full" });
  return JSON.parse(machine.json()).counts;
};
const kernels = machine.kernels(), slides = slidesPages(root, kernels, countsOf);
for (const each of groups.flatMap((group) => group.pages)) withRun(each);
const course = [kernelsPage, writePage, exercisesPage(), teachPage(), ...slides];
groups.splice(1, 0, { heading: "Course", pages: course });
for (const each of slides) for (const picture of each.pictures) documents.linked.add(picture);

const reference = path.join(root, "build/docs/html");
const hasReference = fs.existsSync(reference);
const menu = groups.map(({ heading, pages }) => ({ heading, pages: pages.map(({ at, title }) => ({ at, title })) }));
if (hasReference) menu[0].pages.push({ at: "reference/index.html", title: "Reference of the headers" });

const { pages: sources, copied } = documents.sources();
for (const each of groups.flatMap((group) => group.pages).concat(sources)) write(each.at, page({ ...each, menu: each.at.startsWith("source/") ? [] : menu }));
for (const file of copied) write(placeOf(file), fs.readFileSync(path.join(root, file)));
if (hasReference) fs.cpSync(reference, path.join(output, "reference"), { recursive: true });

// Styles, scripts, and what the search looks through
write("assets/style.css", fs.readFileSync(path.join(here, "../assets/style.css")));
for (const name of ["scheme.js", "site.js", "slides.js"]) write(`assets/${name}`, fs.readFileSync(path.join(here, "../assets", name)));
const texts = groups.flatMap((group) => group.pages).flatMap(({ at, title, sections }) =>
  sections.map(({ heading, anchor, text }) => [at + (anchor ? `#${anchor}` : ""), title, heading, text.trim()]));
write("assets/search_texts.js", `window.searchTexts = ${JSON.stringify(texts)};\n`);
const bundle = (entry) => esbuild.buildSync({
  entryPoints: [path.join(here, "../playground", entry)], bundle: true, minify: true, format: "iife", write: false, target: "es2022", legalComments: "eof",
}).outputFiles[0].text;
for (const name of ["kernels_page", "write_page", "exercises_page", "editor"]) write(`assets/${name}.js`, bundle(`${name}.js`));
const packed = zlib.gzipSync(bytes, { level: 9 }).toString("base64");
write("assets/machine.js", `window.tallyMachine = "${packed}";\n`);
for (const name of ["playing_worker", "writing_worker"]) write(`assets/${name}.js`, `window.tallyWorker = ${JSON.stringify(bundle(`${name}.js`))};\n`);
write("assets/licences.txt", licences());

const broken = brokenLinks(output);
for (const each of broken) console.error(each);
console.log(`${groups.flatMap((group) => group.pages).length} pages, ${sources.length} sources, ${broken.length} broken links: ${path.relative(process.cwd(), output)}/index.html`);
process.exit(broken.length > 0 ? 1 : 0);

/** Adds to a kernel's page of the textbook a link that runs it. */
function withRun(page) {
  const name = path.posix.basename(page.at, ".html");
  if (!page.at.startsWith("docs/textbook/") || !kernels.some(({ kernel }) => kernel === name)) return;
  page.body = page.body.replace("</h1>", `</h1>\n<p class="run"><a href="${relative(page.at, "course/kernels.html")}#kernel=${name}&amp;n=16">Run it in the browser</a></p>`);
}

/** The kernels in the order of the index, then the rest. */
function inOrderOfTextbook(pages) {
  const index = fs.readFileSync(path.join(root, "docs/textbook/index.md"), "utf8");
  const place = ({ at }) => {
    const found = index.indexOf(`(${path.posix.basename(at, ".html")}.md)`);
    return at.endsWith("/index.html") ? -1 : found < 0 ? index.length : found;
  };
  return pages.sort((a, b) => place(a) - place(b));
}

/** The licences of the packages that are bundled into the pages. */
function licences() {
  const folder = path.join(here, "../node_modules"), texts = [];
  const names = fs.readdirSync(folder).flatMap((name) => (name.startsWith("@") ? fs.readdirSync(path.join(folder, name)).map((each) => `${name}/${each}`) : [name]));
  for (const name of names.filter((each) => !/^\.|json$/.test(each) && !each.startsWith("@esbuild") && !["axe-core", "esbuild", "argparse", "ws"].includes(each))) {
    const file = fs.readdirSync(path.join(folder, name)).find((each) => /^licen[cs]e/i.test(each));
    if (file) texts.push(`${name}\n\n${fs.readFileSync(path.join(folder, name, file), "utf8").trim()}\n`);
  }
  return texts.join("\n\n");
}
