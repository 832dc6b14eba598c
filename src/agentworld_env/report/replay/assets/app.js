// The page: one moment, shown everywhere at once, and the ways to move through the episode.

const KEYS = [
  ["← →", "one call back or on"],
  ["Shift ← →", "one round back or on"],
  ["[ ]", "previous or next call on the causal path"],
  ["Home End", "start, end"],
  ["space", "play or pause"],
  ["+ - 0 9", "zoom; the whole land; the team"],
  ["f", "keep whoever acts in the middle"],
  ["c", "highlight the causal path"],
  ["1 2 3 4", "turn, team, chat, goals"],
  ["t", "light or dark"],
  ["Esc", "choose nobody"],
];

const byId = (id) => document.getElementById(id);

class Page {
  constructor(data) {
    this.store = new Store(data);
    this.moment = 0;
    this.chosen = -1;
    const [go, choose] = [(moment) => this.go(moment), (i) => this.choose(i)];
    this.go_ = go;
    this.map = new WorldMap(this.store, choose);
    this.panels = new Panels(this.store, choose, go);
    this.lanes = new Lanes(this.store, choose, go);
    this.calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.head();
    this.controls();
    this.paths(data.path.length > 0);
  }

  async start() {
    await this.map.ready;
    const found = /^#call=(\d+)$/.exec(window.location.hash);
    this.moment = found ? Math.min(this.store.last, Number(found[1])) : 0;
    this.map.resize();
    this.show(0);
    new ResizeObserver(() => this.map.resize()).observe(byId("world"));
    let width = window.innerWidth;
    window.addEventListener("resize", () => {
      if (window.innerWidth === width) return;
      width = window.innerWidth;
      this.lanes.draw(this.go_);
      this.marks();
      this.show(0);
    });
    this.marks();
  }

  head() {
    const { about } = this.store.data;
    byId("title").textContent = about.title;
    const parts = [about.task, `policy ${about.policy}`, `seed ${about.seed}`, about.setting === "default" ? "" : `setting ${about.setting}`, about.suite];
    byId("about").textContent = byId("about").title = parts.filter(Boolean).join(" · ");
    const badge = byId("badge");
    // It stands beside the moment's figures, and is about another moment.
    badge.textContent = !about.complete ? "not over" : `in the end: ${about.success ? "success" : "failure"}`;
    badge.className = !about.complete ? "soft" : about.success ? "good" : "bad";
  }

  controls() {
    const scrub = byId("scrub");
    scrub.max = this.store.last;
    scrub.addEventListener("input", () => this.go(Number(scrub.value)));
    byId("first").onclick = () => this.go(0);
    byId("back").onclick = () => this.go(this.moment - 1);
    byId("next").onclick = () => this.go(this.moment + 1, true);
    byId("last").onclick = () => this.go(this.store.last);
    byId("play").onclick = () => this.play(!this.timer);
    byId("zoom-in").onclick = () => this.map.zoomBy(1.5);
    byId("zoom-out").onclick = () => this.map.zoomBy(1 / 1.5);
    byId("fit").onclick = () => this.map.fitAll();
    byId("team").onclick = () => this.map.fitTeam();
    byId("follow").onclick = () => this.follow();
    byId("causes").onclick = () => this.paths(!byId("lanes-chart").classList.contains("causes"));
    byId("theme").onclick = () => this.theme();
    byId("help").onclick = () => byId("keys").showModal();
    byId("speed").onchange = () => this.timer && this.play(true);
    byId("keys-list").replaceChildren(...KEYS.flatMap(([key, what]) => [element("dt", {}, key), element("dd", {}, what)]));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open || event.target.tagName === "SELECT") return;
    const onButton = event.target.closest("button, summary");
    if (onButton && (event.key === " " || event.key === "Enter")) return;
    const actions = {
      ArrowLeft: () => (event.shiftKey ? this.byRound(-1) : this.go(this.moment - 1)),
      ArrowRight: () => (event.shiftKey ? this.byRound(1) : this.go(this.moment + 1, true)),
      Home: () => this.go(0),
      End: () => this.go(this.store.last),
      " ": () => this.play(!this.timer),
      "[": () => this.byPath(-1),
      "]": () => this.byPath(1),
      "+": () => this.map.zoomBy(1.5),
      "=": () => this.map.zoomBy(1.5),
      "-": () => this.map.zoomBy(1 / 1.5),
      0: () => this.map.fitAll(),
      9: () => this.map.fitTeam(),
      f: () => this.follow(),
      c: () => byId("causes").click(),
      t: () => this.theme(),
      1: () => this.panels.open("turn"),
      2: () => this.panels.open("team"),
      3: () => this.panels.open("chat"),
      4: () => this.panels.open("goals"),
      "?": () => byId("keys").showModal(),
      Escape: () => this.choose(-1),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  byRound(way) {
    const { steps, last } = this.store;
    // A round begins at the moment of its first call.
    let moment = this.moment;
    if (way > 0) {
      const round = moment < last ? steps[moment].round : Infinity;
      while (moment < last && steps[moment].round === round) moment += 1;
    } else {
      moment = Math.max(0, moment - 1);
      const { round } = steps[moment] || { round: 0 };
      while (moment > 0 && steps[moment - 1].round === round) moment -= 1;
    }
    this.go(moment);
  }

  byPath(way) {
    const { path, last } = this.store;
    let call = this.moment - 1 + way;
    while (call >= 0 && call < last && !path.has(call)) call += way;
    if (call >= 0 && call < last) this.go(call + 1);
  }

  go(moment, animate = false) {
    const next = Math.max(0, Math.min(this.store.last, moment));
    if (next === this.moment) return;
    this.moment = next;
    this.show(animate && !this.calm ? 220 : 0);
  }

  choose(i) {
    this.chosen = i;
    if (i >= 0) this.panels.open("team");
    this.show(0);
  }

  show(animate) {
    const { moment, store, chosen } = this;
    byId("scrub").value = moment;
    const round = moment ? store.steps[moment - 1].round : 1;
    byId("clock").replaceChildren(element("span", {}, `round ${round}/${store.data.about.max_rounds}`), element("span", {}, ` call ${moment}/${store.last}`));
    byId("scrub").setAttribute("aria-valuetext", byId("clock").textContent);
    const goals = store.data.points.filter((_, i) => store.point(i, moment).reached).length;
    byId("score").textContent = `${goals} of ${store.data.points.length} checkpoints · PSR ${store.psr(moment).toFixed(2)}`;
    this.map.show(moment, chosen, animate);
    this.lanes.show(moment, chosen);
    this.panels.show(moment, chosen);
    this.link();
  }

  // The address tells the moment, so that one can point at it; browsers limit how often it may change.
  link() {
    clearTimeout(this.linking);
    this.linking = setTimeout(() => {
      if (window.location.protocol !== "about:") window.history.replaceState(null, "", `#call=${this.moment}`);
    }, 400);
  }

  play(on) {
    clearInterval(this.timer);
    this.timer = null;
    const speed = Number(byId("speed").value);
    if (on) {
      if (this.moment === this.store.last) this.go(0);
      this.timer = setInterval(() => {
        if (this.moment >= this.store.last) return this.play(false);
        this.moment += 1;
        this.show(this.calm ? 0 : Math.min(220, 800 / speed));
        return undefined;
      }, 1000 / speed);
    }
    byId("play-icon").setAttribute("d", on ? "M3 2h4v12H3zM9 2h4v12H9z" : "M3 1v14l11-7z");
    byId("play").setAttribute("aria-label", on ? "Pause" : "Play");
  }

  follow() {
    this.map.follow = !this.map.follow;
    byId("follow").setAttribute("aria-pressed", String(this.map.follow));
    this.show(0);
  }

  paths(on) {
    byId("lanes-chart").classList.toggle("causes", on);
    byId("causes").setAttribute("aria-pressed", String(on));
  }

  theme() {
    const dark = document.documentElement.dataset.theme === "dark";
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    this.marks();
  }

  // Below the slider: where checkpoints were reached, and where constraints were broken.
  marks() {
    const canvas = byId("marks");
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    const pen = canvas.getContext("2d");
    canvas.width = width * 2;
    canvas.height = height * 2;
    pen.scale(2, 2);
    const style = getComputedStyle(document.documentElement);
    const draw = (moment, colour) => {
      pen.fillStyle = style.getPropertyValue(colour);
      pen.fillRect((moment / Math.max(1, this.store.last)) * (width - 3), 0, 3, height);
    };
    for (const rows of this.store.rows.points.values()) {
      const first = rows.find((row) => row[3]);
      if (first && first[0]) draw(first[0], "--good");
    }
    for (const [moment] of this.store.data.changes.broken) draw(moment, "--bad");
  }
}

document.documentElement.dataset.theme = window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
unpack()
  .then((data) => {
    const page = new Page(data);
    return page.start().then(() => (document.documentElement.dataset.ready = "yes"));
  })
  .catch((error) => {
    byId("main").replaceChildren(element("p", { id: "fault" }, `This replay cannot be shown: ${error.message}. It needs a browser of 2023 or later.`));
    throw error;
  });
