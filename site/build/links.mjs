import fs from "node:fs";
import path from "node:path";

/** The links of a site's pages that lead nowhere: to a file or an anchor that is not there. Links elsewhere are not followed. */
export function brokenLinks(folder) {
  const pages = new Map();
  for (const name of fs.readdirSync(folder, { recursive: true })) {
    if (!name.endsWith(".html") || name.startsWith("reference/")) continue;
    const text = fs.readFileSync(path.join(folder, name), "utf8");
    pages.set(name, { links: [...text.matchAll(/\s(?:href|src)="([^"]*)"/g)].map((each) => each[1]), anchors: new Set([...text.matchAll(/\sid="([^"]*)"/g)].map((each) => each[1])) });
  }
  const broken = [];
  for (const [name, { links }] of pages) {
    for (const link of links) {
      if (/^[a-z]+:/i.test(link)) continue;
      const [file, anchor = ""] = link.replaceAll("&amp;", "&").split("#");
      const to = file === "" ? name : path.posix.normalize(path.posix.join(path.posix.dirname(name), decodeURI(file)));
      if (!fs.existsSync(path.join(folder, to))) broken.push(`${name}: ${link} is not there`);
      else if (anchor !== "" && !anchor.includes("=") && pages.has(to) && !pages.get(to).anchors.has(decodeURIComponent(anchor))) broken.push(`${name}: ${link} has no such anchor`);
    }
  }
  return broken;
}
