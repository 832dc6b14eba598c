// Lanes: a row per agent, a column per round, a cell per call, and arrows from causes to effects.

const TOOLS = {
  move_character: ["M", "move", "#a9d8be"],
  enter_portal: ["P", "portal", "#8fcfc9"],
  harvest_resource: ["H", "harvest", "#b9db9a"],
  craft_item: ["C", "make", "#f5cc85"],
  transfer_items: ["G", "give or trade", "#f7b48c"],
  attack_entity: ["A", "attack", "#ee9d9d"],
  chat: ["T", "talk", "#a9c8f5"],
  send_chat_message: ["T", "talk", "#a9c8f5"],
  equip_item: ["E", "wear", "#c3cbdb"],
  use_item: ["U", "use", "#dbe39b"],
  pickup_item: ["L", "pick up", "#d6b9e6"],
  sleep: ["z", "sleep", "#dad8d2"],
  complete: ["✓", "leave", "#cfcfcf"],
};
const OTHER_TOOL = ["·", "other", "#d5d5d5"];

class Lanes {
  constructor(store, choose, go) {
    this.store = store;
    this.agents = store.data.agents.length;
    this.height = this.agents > 12 ? 15 : this.agents > 6 ? 19 : 24;
    this.top = 18;
    this.chart = document.getElementById("lanes-chart");
    this.scroll = document.getElementById("lanes-scroll");
    this.rounds = Math.max(1, ...store.steps.map((step) => step.round));
    this.names(choose);
    this.key();
    this.draw(go);
    this.lit = [];
    this.now = null;
  }

  names(choose) {
    const box = document.getElementById("lanes-names");
    this.buttons = this.store.data.agents.map((agent, i) => {
      const dot = element("span", { class: "dot", dot: agentColour(i) });
      const made = element("button", { type: "button", title: agent.name, onclick: () => choose(i) }, dot, agent.name);
      made.style.height = `${this.height}px`;
      return made;
    });
    box.replaceChildren(...this.buttons);
  }

  key() {
    const used = new Map();
    for (const step of this.store.steps) {
      const [letter, word, colour] = TOOLS[step.tool] || OTHER_TOOL;
      used.set(word, [letter, colour]);
    }
    const entries = [...used].map(([word, [letter, colour]]) => {
      const mark = element("i", {}, letter);
      mark.style.background = colour;
      return element("span", {}, mark, word);
    });
    document.getElementById("lanes-key").replaceChildren(...entries);
  }

  x(round) {
    return (round - 1) * this.width + 2;
  }

  y(agent) {
    return this.top + agent * this.height;
  }

  draw(go) {
    const room = this.scroll.clientWidth - document.getElementById("lanes-names").offsetWidth - 20;
    this.width = Math.max(18, Math.min(58, Math.floor(room / this.rounds)));
    const width = this.rounds * this.width + 6;
    const height = this.top + this.agents * this.height + 4;
    const svg = vector("svg", { width, height, role: "img", "aria-label": "Calls by agent and round" });
    for (let i = 0; i < this.agents; i += 2) {
      svg.append(vector("rect", { class: "lane", x: 0, y: this.y(i), width, height: this.height }));
    }
    const every = this.width < 26 ? 5 : 1;
    for (let round = 1; round <= this.rounds; round++) {
      const middle = this.x(round) + this.width / 2 - 2;
      if (round === 1 || round % every === 0) svg.append(vector("text", { class: "round-mark", x: middle, y: 12 }, String(round)));
      const x = this.x(round) - 1;
      svg.append(vector("line", { class: "round-line", x1: x, x2: x, y1: this.top, y2: height }));
    }
    const edges = vector("g");
    const cells = vector("g");
    this.cells = this.store.steps.map((step, i) => {
      const made = this.cell(step, i);
      made.addEventListener("click", () => go(i + 1));
      cells.append(made);
      return made;
    });
    this.edges = this.store.data.edges.map((edge) => this.edge(edge));
    edges.append(...this.edges);
    this.veil = vector("rect", { class: "later-veil", y: this.top, height });
    this.line = vector("line", { class: "now-line", y1: this.top, y2: height });
    svg.append(edges, cells, this.veil, this.line);
    this.full = width;
    this.chart.replaceChildren(svg);
  }

  cell(step, i) {
    const [letter, , colour] = TOOLS[step.tool] || OTHER_TOOL;
    const state = [step.ok ? "" : "failed", this.store.path.has(i) ? "path" : "", this.store.goals.has(i) ? "goal-cell" : ""];
    const made = vector("g", { class: ["cell", ...state].filter(Boolean).join(" "), "data-call": i });
    const [x, y, width, height] = [this.x(step.round), this.y(step.agent) + 2, this.width - 4, this.height - 4];
    made.append(vector("rect", { x, y, width, height, rx: 3, fill: colour }));
    made.append(vector("text", { x: x + width / 2, y: y + height / 2 + 0.5 }, step.ok ? letter : "×"));
    made.append(vector("title", {}, `${i + 1}. ${this.store.data.agents[step.agent].name}: ${step.call}\n${step.outcome}`));
    return made;
  }

  edge([source, target, , known]) {
    const from = this.store.steps[source];
    const to = this.store.steps[target];
    const half = (this.width - 4) / 2;
    const [x0, y0] = [this.x(from.round) + half, this.y(from.agent) + this.height / 2];
    const [x1, y1] = [this.x(to.round) + half, this.y(to.agent) + this.height / 2];
    const bend = Math.max(10, (x1 - x0) / 2);
    const lift = from.agent === to.agent ? -this.height * 0.7 : 0;
    const d = `M${x0} ${y0}C${x0 + bend} ${y0 + lift} ${x1 - bend} ${y1 + lift} ${x1} ${y1}`;
    return vector("path", { d, class: known ? "edge path" : "edge" });
  }

  show(moment, chosen) {
    this.now?.classList.remove("now");
    for (const edge of this.lit) edge.classList.remove("lit");
    this.lit = [];
    const call = moment - 1;
    this.now = call >= 0 ? this.cells[call] : null;
    if (this.now) {
      this.now.classList.add("now");
      this.store.data.edges.forEach(([source, target], i) => {
        if (source === call || target === call) this.lit.push(this.edges[i]);
      });
      for (const edge of this.lit) edge.classList.add("lit");
    }
    const x = this.x(moment ? this.store.steps[call].round + 1 : 1) - 1;
    this.veil.setAttribute("x", x);
    this.veil.setAttribute("width", Math.max(0, this.full - x));
    this.line.setAttribute("x1", x);
    this.line.setAttribute("x2", x);
    this.keepInSight(call);
    if (chosen !== this.chosen) {
      this.buttons.forEach((button, i) => button.classList.toggle("chosen", i === chosen));
      this.chosen = chosen;
    }
  }

  keepInSight(call) {
    const step = this.store.steps[Math.max(0, call)];
    if (!step) return;
    const box = this.scroll;
    const margin = document.getElementById("lanes-names").offsetWidth;
    const [x, y] = [this.x(step.round), this.y(step.agent)];
    if (x < box.scrollLeft || x + this.width > box.scrollLeft + box.clientWidth - margin) {
      box.scrollLeft = Math.max(0, x - (box.clientWidth - margin) / 2);
    }
    if (y - this.top < box.scrollTop || y + this.height > box.scrollTop + box.clientHeight) {
      box.scrollTop = Math.max(0, y - box.clientHeight / 2);
    }
  }
}
