/** The banks of shared memory, for one request of a warp at a time: which words fall where. */
class Banks {
  constructor(box, run, counts) {
    this.run = run;
    this.counts = counts;
    this.choice = make("select", { "aria-label": "Request" });
    this.choice.addEventListener("change", () => this.draw(Number(this.choice.value)));
    this.text = make("p", { class: "summary" });
    this.map = make("ol", { class: "banks" });
    box.replaceChildren(this.choice, this.text, this.map);
  }

  /** The request with most words in a bank comes first. */
  show(position) {
    this.requests = position === 0 ? [] : this.counts[position - 1].requests;
    const options = this.requests.map((request, number) => make("option", { value: number }, this.nameOf(request)));
    this.choice.replaceChildren(...options);
    this.choice.hidden = this.requests.length < 2;
    const degrees = this.requests.map((request) => request.degree);
    const worst = degrees.indexOf(Math.max(...degrees));
    this.choice.value = `${worst}`;
    this.draw(worst);
  }

  nameOf(request) {
    const { file, line } = this.run.places[request.where];
    const does = { read: "reads", write: "writes", atomic: "changes" }[request.what];
    return `warp ${request.warp} ${does} ${this.run.arrays[request.array].name} (${file}:${line}), degree ${request.degree}`;
  }

  draw(number) {
    const request = this.requests[number];
    this.map.hidden = request === undefined;
    if (request === undefined) {
      this.text.textContent = "No access to shared memory in this step.";
      return;
    }
    const one = request.degree === 1;
    const conflict = one ? "no bank has more than one word: 1 wavefront"
      : `up to ${request.degree} words in one bank: ${counted(request.wavefronts, "wavefront")}, ` +
        `${request.ideal} without conflicts`;
    const sentence = `${this.nameOf(request)}: ${counted(request.acts.length, "lane")}, ${conflict}.`;
    this.text.textContent = sentence[0].toUpperCase() + sentence.slice(1);
    const banks = banksOf(this.run.arrays[request.array], request.what, request.acts);
    this.map.replaceChildren(...banks.map((words, bank) => this.drawBank(words, bank, request)));
  }

  drawBank(words, bank, request) {
    const name = this.run.arrays[request.array].name;
    const shown = words.map((word) =>
      make("span", { class: "word", title: `${name}[${word.index}], thread ${ranges(word.threads)}` }, `${word.index}`));
    const conflict = words.length > 1;
    return make("li", { class: conflict ? "conflict" : "" },
      make("span", { class: "words" }, ...shown),
      make("span", { class: "degree" }, conflict ? `${words.length}\u00d7` : ""),
      make("span", { class: "number" }, `${bank}`));
  }
}
