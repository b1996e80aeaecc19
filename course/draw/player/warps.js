/** What the lanes of every warp of the block do in a step. */
class Warps {
  constructor(box, run, counts) {
    this.run = run;
    this.counts = counts;
    this.text = make("p", { class: "summary" });
    this.list = make("ol", { class: "warps scrolls", tabindex: "0", "aria-label": "Warps" });
    const key = make("p", { class: "key" }, make("span", { class: "lane active" }, "A"), " works, ",
      make("span", { class: "lane other" }, "B"), " works otherwise, ", make("span", { class: "lane idle" }, "\u00b7"), " idle");
    box.replaceChildren(this.text, this.list, key);
  }

  show(position) {
    const warps = position === 0 ? [] : this.counts[position - 1].warps;
    const working = warps.filter((warp) => warp.active > 0), divergent = working.filter((warp) => warp.divergent);
    const lanes = working.reduce((sum, warp) => sum + warp.active, 0);
    const { listed, threads } = this.run.phases[position - 1] ?? {};
    const of_all = listed === undefined ? "" : ` Of ${threads} threads the first ${listed} are here.`;
    this.text.textContent = position === 0 ? "No step yet." :
      `${counted(working.length, "warp")} of ${warps.length} ${working.length === 1 ? "works" : "work"}, ` +
      `${divergent.length === 0 ? "none divergent" : `${divergent.length} divergent`}; ${counted(lanes, "active lane")}.${of_all}`;
    this.list.replaceChildren(...alikeWarps(warps).map(([first, last]) => this.drawWarps(first, last)));
    this.list.hidden = warps.length === 0;
  }

  /** Warps that do the same are one line. */
  drawWarps(warp, last) {
    const state = warp.active === 0 ? "idle" : warp.divergent ? "divergent" : "all alike";
    const lanes = warp.courses.map((course, lane) => {
      const thread = warp.number * lanesOfWarp + lane;
      if (course < 0) return make("span", { class: "lane idle", title: `thread ${thread}: idle` }, "\u00b7");
      const letter = String.fromCharCode(65 + Math.min(course, 25));
      return make("span", { class: `lane ${course === 0 ? "active" : "other"}`, title: `thread ${thread}: works` }, letter);
    });
    const name = warp === last ? `warp ${warp.number}` : `warps ${warp.number}\u2013${last.number}`;
    return make("li", { class: warp.divergent ? "divergent" : "" },
      make("span", { class: "name" }, name),
      make("span", { class: "lanes", "aria-hidden": "true" }, ...lanes),
      make("span", { class: "state" }, state));
  }
}

/** The first and the last of every run of warps that do the same. */
function alikeWarps(warps) {
  const groups = [];
  for (const warp of warps) {
    const group = groups.at(-1);
    if (group && group[0].courses.join() === warp.courses.join()) group[1] = warp;
    else groups.push([warp, warp]);
  }
  return groups;
}
