/** The kernel's source, with the lines where the step stands. */
class Source {
  constructor(box, choices, run) {
    this.box = box;
    this.run = run;
    this.texts = new Map(Object.entries(run.sources).map(([file, text]) => [file, linesOf(text)]));
    this.buttons = new Map();
    for (const file of this.texts.keys()) {
      const button = make("button", { type: "button" }, file);
      button.addEventListener("click", () => this.open(file));
      this.buttons.set(file, button);
    }
    choices.replaceChildren(...this.buttons.values());
    choices.hidden = this.texts.size < 2;
    this.marks = [];
    this.file = null;
  }

  show(position) {
    const phase = this.run.phases[position - 1];
    this.marks = phase ? markedLines(this.run, phase) : [];
    const current = this.marks.find((mark) => mark.call) ?? this.marks[0];
    const file = [current?.file, this.file, this.run.header, ...this.texts.keys()].find((name) => this.texts.has(name));
    if (file === undefined) this.box.replaceChildren(make("p", {}, "The source of this kernel is not in this page."));
    else this.open(file);
  }

  open(file) {
    if (file !== this.file) {
      this.file = file;
      const lines = this.texts.get(file).map((parts) => make("li", {}, make("code", {}, ...parts.map(drawPart))));
      this.box.replaceChildren(make("ol", { class: "lines" }, ...lines));
      for (const [name, button] of this.buttons) button.setAttribute("aria-pressed", `${name === file}`);
    }
    const lines = this.box.querySelectorAll("li");
    for (const line of lines) line.className = "";
    const here = this.marks.filter((mark) => mark.file === file && mark.line <= lines.length);
    for (const mark of here) {
      lines[mark.line - 1].classList.add(mark.call ? "call" : "inside");
      lines[mark.line - 1].setAttribute("aria-current", "step");
    }
    for (const line of lines) if (line.className === "") line.removeAttribute("aria-current");
    const first = here.find((mark) => mark.call) ?? here[0];
    if (first) showWithin(this.box, lines[first.line - 1]);
  }

  /** Goes to a line that no step stands at: that of a finding. */
  openAt(file, line) {
    if (!this.texts.has(file)) return;
    this.marks = [{ file, line, call: true }];
    this.open(file);
  }
}

/** The call of the step, and the lines within it where its threads do something. */
function markedLines(run, phase) {
  const marks = [{ ...run.places[phase.where], call: true }];
  for (const act of phase.acts) {
    const { file, line } = run.places[act.where];
    if (!marks.some((mark) => mark.file === file && mark.line === line)) marks.push({ file, line, call: false });
  }
  return marks;
}

const words = new Set(`alignas auto bool break case class const constexpr continue default do else enum false float for if
  inline int namespace noexcept nullptr operator private public requires return short static struct switch template this true
  typename unsigned using void while`.split(/\s+/));

/** The lines of a C++ text, each in parts {text, kind}: a comment, a word of the language, or nothing special. */
function linesOf(text) {
  return text.replace(/\n$/, "").split("\n").map((line) => {
    const comment = line.search(/\/\/|^\s*#/);
    const code = comment < 0 ? line : line.slice(0, comment);
    const parts = code.split(/\b/).map((part) => ({ text: part, kind: words.has(part) ? "word" : "" }));
    return comment < 0 ? parts : [...parts, { text: line.slice(comment), kind: "comment" }];
  });
}

function drawPart({ text, kind }) {
  return kind === "" ? text : make("span", { class: kind }, text);
}
