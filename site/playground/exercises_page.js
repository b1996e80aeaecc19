import { at, memory } from "./dom.js";

/** The list of exercises: marks those that have passed in this browser. */
const passed = new Set(memory.read("tally.passed") ?? []);
for (const item of document.querySelectorAll("[data-exercise]")) {
  if (!passed.has(item.dataset.exercise)) continue;
  item.classList.add("passed");
  item.querySelector(".state").textContent = "\u2713 passed";
}
at("passed").textContent = passed.size === 0 ? "None is done yet in this browser." : `${passed.size} are done in this browser.`;
