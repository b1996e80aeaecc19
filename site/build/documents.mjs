import fs from "node:fs";
import path from "node:path";
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import cmake from "highlight.js/lib/languages/cmake";
import cpp from "highlight.js/lib/languages/cpp";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import MarkdownIt from "markdown-it";
import { escaped, relative } from "./template.mjs";

for (const [name, language] of Object.entries({ bash, cmake, cpp, javascript, json, python })) hljs.registerLanguage(name, language);
const languageOf = { ".hpp": "cpp", ".cpp": "cpp", ".cuh": "cpp", ".cu": "cpp", ".h": "cpp", ".c": "cpp", ".py": "python", ".js": "javascript",
                     ".mjs": "javascript", ".json": "json", ".cmake": "cmake" };
const pictures = new Set([".svg", ".png"]);
/** Whether a picture has colours for light and for dark; others get a white ground. */
const hasBothSchemes = (file) => file.endsWith(".svg") && fs.readFileSync(file, "utf8").includes("prefers-color-scheme");
/** A source longer than this is not a page: the site keeps every page below 300 KB. */
const longestSource = 120_000;

/** "README.md" -> "index.html", "docs/order.md" -> "docs/order.html"; a source below "source/". */
export function placeOf(file) {
  const { dir, name, ext } = path.posix.parse(file);
  if (ext === ".md") return path.posix.join(dir, name === "README" ? "index.html" : `${name}.html`);
  return pictures.has(ext) ? file : path.posix.join("source", `${file}.html`);
}

/** The anchor of a heading, as GitHub gives it. */
const anchorOf = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-");

const highlighted = (text, language) => (hljs.getLanguage(language) ? hljs.highlight(text, { language }).value : escaped(text));

/** The documents of the repository, and the sources that they link to, as pages. */
export class Documents {
  constructor(root) {
    this.root = root;
    this.linked = new Set(); // files and folders other than documents
    this.markdown = new MarkdownIt({ html: true, highlight: highlighted });
    this.markdown.renderer.rules.table_open = () => '<div class="scrolls" role="group" aria-label="Table" tabindex="0"><table>\n';
    this.markdown.renderer.rules.table_close = () => "</table></div>\n";
    for (const rule of ["fence", "code_block"]) {
      const write = this.markdown.renderer.rules[rule];
      this.markdown.renderer.rules[rule] = (...words) => write(...words).replace("<pre>", '<pre tabindex="0">');
    }
  }

  /** A document: {at, title, body, sections for the search: [{heading, anchor, text}]}. */
  read(file) {
    const text = fs.readFileSync(path.join(this.root, file), "utf8").replace(/^<!--.*?-->\n/s, "");
    const tokens = this.markdown.parse(text, {}), anchors = new Map(), sections = [];
    let title = null;
    tokens.forEach((token, k) => {
      if (token.type === "heading_open") {
        const plain = plainText(tokens[k + 1]);
        let anchor = anchorOf(plain);
        const times = anchors.get(anchor) ?? 0;
        anchors.set(anchor, times + 1);
        if (times > 0) anchor += `-${times}`;
        token.attrSet("id", anchor);
        title ??= plain;
        sections.push({ heading: plain, anchor, text: "" });
      } else if (token.type === "inline" && tokens[k - 1]?.type !== "heading_open" && sections.length > 0) {
        sections.at(-1).text += `${plainText(token)} `;
      }
      for (const child of token.children ?? []) this.link(child, file);
    });
    return { at: placeOf(file), title: title ?? file, body: withoutEmptyHeads(this.markdown.renderer.render(tokens, this.markdown.options, {})), sections };
  }

  /** Points a link of a document to its place in the site. */
  link(token, file) {
    const name = token.type === "link_open" ? "href" : token.type === "image" ? "src" : null;
    const to = name && token.attrGet(name);
    if (!to || /^[a-z]+:/i.test(to) || to.startsWith("#")) return;
    const [target, anchor] = to.split("#");
    const found = path.posix.normalize(path.posix.join(path.posix.dirname(file), decodeURI(target)));
    const whole = path.join(this.root, found);
    if (!fs.existsSync(whole)) throw new Error(`${file}: there is no ${to}`);
    const isFolder = fs.statSync(whole).isDirectory();
    if (!found.endsWith(".md")) this.linked.add(found);
    if (token.type === "image" && hasBothSchemes(whole)) token.attrJoin("class", "in-both-schemes");
    const place = isFolder ? path.posix.join("source", found, "index.html") : placeOf(found);
    token.attrSet(name, relative(placeOf(file), place) + (anchor ? `#${anchor}` : ""));
  }

  /** The linked sources and folders as pages; pictures as files to be copied: {pages, copied}. */
  sources() {
    const pages = [], copied = [];
    for (const found of [...this.linked].sort()) {
      const whole = path.join(this.root, found);
      if (fs.statSync(whole).isDirectory()) pages.push(this.folder(found));
      else if (pictures.has(path.extname(found))) copied.push(found);
      else pages.push(this.source(found));
    }
    return { pages, copied };
  }

  source(file) {
    const text = fs.readFileSync(path.join(this.root, file), "utf8");
    const shown = text.length <= longestSource ? text : `${text.slice(0, text.lastIndexOf("\n", longestSource))}\n...\n`;
    const left = shown === text ? "" : "<p>The beginning of a long file.</p>";
    const first = text.slice(0, 60).includes("python") ? "python" : text.startsWith("#!") ? "bash" : "";
    const code = highlighted(shown, languageOf[path.extname(file)] ?? first);
    return { at: placeOf(file), title: file, body: `<h1 class="file">${escaped(file)}</h1>${left}<pre tabindex="0"><code>${code}</code></pre>`, sections: [] };
  }

  folder(found) {
    const at = path.posix.join("source", found, "index.html");
    const items = fs.readdirSync(path.join(this.root, found), { withFileTypes: true })
      .filter((each) => !each.name.startsWith(".") && each.name !== "node_modules" && each.name !== "__pycache__")
      .sort((a, b) => a.name.localeCompare(b.name)).map((each) => {
        const file = path.posix.join(found, each.name), name = escaped(each.isDirectory() ? `${each.name}/` : each.name);
        const place = this.linked.has(file) ? (each.isDirectory() ? `source/${file}/index.html` : placeOf(file)) : null;
        return `<li>${place ? `<a href="${relative(at, place)}">${name}</a>` : name}</li>`;
      });
    return { at, title: `${found}/`, body: `<h1 class="file">${escaped(found)}/</h1><ul class="files">${items.join("")}</ul>`, sections: [] };
  }
}

/** A head of a table that says nothing is a cell: a reader who hears the page would hear an empty head in each row. */
const withoutEmptyHeads = (html) => html.replace(/<th[^>]*><\/th>/g, "<td></td>");

function plainText(token) {
  if (!token.children) return token.content;
  return token.children.map((each) => (each.type === "softbreak" ? " " : each.type === "text" || each.type === "code_inline" ? each.content : "")).join("");
}
