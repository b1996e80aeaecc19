/** The page: its views show one position, 0 before the first step to the number of steps after the last. */
class Player {
  constructor(run) {
    this.run = run;
    this.last = run.phases.length;
    this.position = 0;
    this.timer = null;
    const counts = run.phases.map((phase) => countsOf(run, phase));
    const flow = dataFlow(run);
    this.flow = flow;
    this.circuit = new Circuit(at("circuit"), run, flow, (node) => this.tell(node), (position) => this.go(position));
    this.source = new Source(at("source"), at("files"), run);
    this.views = [
      this.circuit,
      this.source,
      new Arrays(at("arrays"), run, (array, index) => this.pointAt(array, index)),
      new Counters(at("counters"), run, counts),
      new Banks(at("banks"), run, counts),
      new Warps(at("warps"), run, counts),
      new Findings(at("findings"), run, (finding, position) => this.goToFinding(finding, position)),
    ];
    this.counts = counts;
    at("about").textContent = about(run);
    this.listen();
    this.show();
  }

  listen() {
    const buttons = { "to-start": () => this.go(0), back: () => this.go(this.position - 1), play: () => this.togglePlay(),
                      forward: () => this.go(this.position + 1), "to-end": () => this.go(this.last) };
    for (const [id, action] of Object.entries(buttons)) at(id).addEventListener("click", action);
    at("slider").max = `${this.last}`;
    at("slider").addEventListener("input", () => this.go(Number(at("slider").value)));
    at("speed").addEventListener("change", () => this.timer !== null && this.play());
    document.addEventListener("keydown", (event) => this.press(event));
  }

  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "SELECT") return;
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const goes = { ArrowLeft: this.position - 1, ArrowUp: this.position - 1, ArrowRight: this.position + 1,
                   ArrowDown: this.position + 1, Home: 0, End: this.last };
    if (event.shiftKey && event.key in moves) this.circuit.move(...moves[event.key]);
    else if (event.shiftKey) return;
    else if (event.key in goes) this.go(goes[event.key]);
    else if (event.key === "Escape") this.circuit.choose(null);
    else if (event.key === " " && event.target.tagName !== "BUTTON") this.togglePlay();
    else return;
    event.preventDefault();
  }

  /** To a position, by hand: what plays stops. */
  go(position) {
    this.pause();
    this.set(position);
  }

  set(position) {
    this.position = Math.max(0, Math.min(this.last, position));
    this.show();
  }

  togglePlay() {
    if (this.timer !== null) this.pause();
    else this.play();
  }

  play() {
    this.pause();
    if (this.position === this.last) this.set(0);
    this.timer = setInterval(() => {
      this.set(this.position + 1);
      if (this.position === this.last) this.pause();
    }, Number(at("speed").value));
    this.showPlaying();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.showPlaying();
  }

  showPlaying() {
    at("play").classList.toggle("playing", this.timer !== null);
    at("play").setAttribute("aria-label", this.timer === null ? "Play" : "Pause");
  }

  show() {
    const { position, last } = this;
    at("slider").value = `${position}`;
    at("position").textContent = `${position} / ${last}`;
    const said = position === 0 ? "Before the first step." : describe(this.run, this.flow, position, this.counts[position - 1]);
    at("now").textContent = said;
    at("slider").setAttribute("aria-valuetext", `${position} of ${last}`);
    at("back").disabled = at("to-start").disabled = position === 0;
    at("forward").disabled = at("to-end").disabled = position === last;
    for (const view of this.views) view.show(position);
  }

  /** The node of what an element of an array holds now: there, or where the value was made. */
  pointAt(array, index) {
    const id = index < 0 ? undefined : idAt(this.run, this.position, array, index);
    const nodes = this.flow.nodes.filter((node) => node.id === id && node.phase < this.position);
    this.circuit.point(nodes.find((node) => node.array === array && node.index === index) ?? nodes[0] ?? null);
  }

  tell(node) {
    at("made-of").textContent = node === null ? "Point at an element to see what it is made of." : describeNode(this.run, node);
  }

  goToFinding(finding, position) {
    this.go(position);
    this.source.openAt(finding.file, finding.line);
  }
}

new Player(readRun(JSON.parse(at("run").textContent), JSON.parse(at("sources").textContent)));
