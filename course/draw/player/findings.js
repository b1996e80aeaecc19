/** What the machine has found wrong. A click goes to the step and the line. */
class Findings {
  constructor(box, run, onGo) {
    this.run = run;
    if (run.findings.length === 0) {
      const none = "\u2713 None: no race, every barrier reached by all threads, nothing read that nobody wrote, every index in range.";
      box.replaceChildren(make("p", { class: "clean" }, none));
      return;
    }
    this.items = run.findings.map((finding) => {
      const button = make("button", { type: "button" }, "Go there");
      button.addEventListener("click", () => onGo(finding, this.positionOf(finding)));
      return make("li", {}, make("strong", {}, `\u26a0 ${finding.fault}`), ` ${finding.text} `, button);
    });
    box.replaceChildren(make("ol", { class: "findings" }, ...this.items));
  }

  /** The step where it was found first: in the same launch, block and interval between barriers; at the same line if any is. */
  positionOf(finding) {
    const inside = this.run.phases.map((phase, number) => ({ phase, number })).filter(({ phase }) =>
      phase.launch === finding.launch && phase.block === finding.block && phase.barriers_before === finding.step);
    const at_line = inside.find(({ phase }) => phase.acts.some((act) => {
      const { file, line } = this.run.places[act.where];
      return file === finding.file && line === finding.line;
    }));
    return ((at_line ?? inside[0])?.number ?? 0) + 1;
  }

  show(position) {
    (this.items ?? []).forEach((item, number) =>
      item.classList.toggle("here", this.positionOf(this.run.findings[number]) === position));
  }
}
