import path from "node:path";

export const escaped = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

/** A page may load the site's own files only, and send nothing. Pages with the machine compile it and the reader's kernels. */
const policy = (runs) =>
  `default-src 'none'; img-src 'self' file: data:; style-src 'self' file: 'unsafe-inline'; script-src 'self' file:${
    runs ? " 'unsafe-inline' 'unsafe-eval' blob:; worker-src blob:" : ""}; base-uri 'none'; form-action 'none'`;

/**
 * A page of the site as HTML. `at` is its path in the site, `menu` a list of {heading, pages: [{at, title}]}, `scripts` those that it needs
 * besides the site's own, `runs` whether it runs the machine.
 */
export function page({ at, title, body, menu, scripts = [], runs = false, wide = false }) {
  const link = (to) => relative(at, to);
  const groups = menu.map(({ heading, pages }) => {
    const isHere = pages.some((each) => each.at === at);
    const items = pages.map((each) =>
      `<li><a href="${link(each.at)}"${each.at === at ? ' aria-current="page"' : ""}>${escaped(each.title)}</a></li>`);
    return `<details${isHere ? " open" : ""}><summary>${escaped(heading)}</summary><ul>${items.join("")}</ul></details>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${policy(runs)}">
<title>${escaped(title)}${title === "Tally" ? "" : " - Tally"}</title>
<link rel="stylesheet" href="${link("assets/style.css")}">
<script src="${link("assets/scheme.js")}"></script>
<script defer src="${link("assets/site.js")}" data-root="${link("")}"></script>
${scripts.map((each) => `<script defer src="${link(each)}"></script>\n`).join("")}</head>
<body class="${wide ? "wide" : "text"}${menu.length === 0 ? " alone" : ""}">
<a class="skip" href="#content">To the text</a>
<header>
  <a class="home" href="${link("index.html")}">Tally</a>
  <nav class="main" aria-label="Main"><a href="${link("course/kernels.html")}">Play</a> <a href="${link("course/write.html")}">Write</a>
  <a href="${link("course/exercises.html")}">Exercises</a></nav>
  <form id="search" role="search"><label for="query">Search</label> <input id="query" type="search" autocomplete="off" aria-controls="found"></form>
  <button type="button" id="scheme" hidden>\u25d0</button>
  ${menu.length === 0 ? "" : '<button type="button" id="menu-button" aria-expanded="false" aria-controls="menu">Menu</button>'}
</header>
<div id="found" role="region" aria-label="Found" hidden></div>
<div class="columns">
${menu.length === 0 ? "" : `<nav id="menu" aria-label="All pages">${groups.join("\n")}</nav>`}
<main id="content" tabindex="-1">
${body}
</main>
</div>
</body>
</html>
`;
}

/** The way from a page to another file of the site. */
export function relative(from, to) {
  const way = path.posix.relative(path.posix.dirname(from), to);
  return way === "" ? "." : way;
}
