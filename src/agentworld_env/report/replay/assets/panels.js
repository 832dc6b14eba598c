// The four panels beside the map: the turn, the team, the chat, the goals.

class Panels {
  constructor(store, choose, go) {
    this.store = store;
    this.choose = choose;
    this.go = go;
    this.boxes = Object.fromEntries(["turn", "team", "chat", "goals"].map((name) => [name, document.getElementById(`panel-${name}`)]));
    this.buildTeam();
    this.buildChat();
    this.buildGoals();
    for (const name of Object.keys(this.boxes)) {
      const tab = document.getElementById(`tab-${name}`);
      tab.addEventListener("click", () => this.open(name));
      tab.addEventListener("keydown", (event) => this.turn(event, name));
    }
    this.open("turn");
  }

  open(name) {
    for (const [other, box] of Object.entries(this.boxes)) {
      const tab = document.getElementById(`tab-${other}`);
      tab.setAttribute("aria-selected", String(other === name));
      tab.tabIndex = other === name ? 0 : -1;
      box.hidden = other !== name;
    }
    this.tab = name;
    if (this.moment !== undefined) this.refresh();
  }

  turn(event, name) {
    const names = Object.keys(this.boxes);
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const next = names[(names.indexOf(name) + step + names.length) % names.length];
    this.open(next);
    document.getElementById(`tab-${next}`).focus();
  }

  show(moment, chosen) {
    this.moment = moment;
    this.chosen = chosen;
    this.refresh();
  }

  // Only what is open is kept up to date.
  refresh() {
    const { moment } = this;
    if (this.tab === "turn") this.showTurn(moment);
    else if (this.tab === "team") this.showTeam(moment);
    else if (this.tab === "chat") this.showChat(moment);
    else this.showGoals(moment);
  }

  who(i) {
    return element("span", { class: "dot", dot: agentColour(i) });
  }

  link(call, text) {
    return element("button", { type: "button", title: this.store.steps[call].call, onclick: () => this.go(call + 1) }, text);
  }

  // -- turn

  showTurn(moment) {
    const { store } = this;
    if (moment === 0) return this.showStart();
    const call = moment - 1;
    const step = store.steps[call];
    const name = store.data.agents[step.agent].name;
    const said = element("p", { class: "call" }, step.call);
    said.style.setProperty("--dot", agentColour(step.agent));
    const parts = [
      element("h2", {}, this.who(step.agent), name, element("span", { class: "soft" }, `round ${step.round}, call ${moment} of ${store.last}`)),
      said,
      element("p", { class: `free ${step.ok ? "good" : "bad"}` }, step.outcome),
    ];
    if (step.world) {
      parts.push(element("h3", {}, "Then, in the world's turn"), ...step.world.map((text) => element("p", { class: "free" }, text)));
    }
    parts.push(this.why(call));
    const { bag, worn } = store.bag(step.agent, moment);
    parts.push(element("h3", {}, "Bag and gear after it"), element("p", {}, `${counted(bag)}. Wears ${Object.values(worn).join(", ") || "nothing"}.`));
    (step.replies || []).forEach((reply, i) => parts.push(this.reply(reply, i)));
    parts.push(element("h3", {}, `What ${name} was shown before it`), element("pre", { id: "shown" }, store.shown(step)));
    parts.push(element("p", { class: "soft mono" }, `state ${step.hash}`));
    this.boxes.turn.replaceChildren(...parts);
    return undefined;
  }

  showStart() {
    const { about, agents } = this.store.data;
    const mates = agents.map((agent, i) =>
      element("details", {}, element("summary", {}, this.who(i), " ", element("b", {}, agent.name), " ", element("span", { class: "soft" }, agent.group)),
        element("p", { class: "free" }, agent.about), element("pre", {}, agent.guide)));
    this.boxes.turn.replaceChildren(
      element("h2", {}, "Before the first call"),
      element("p", { class: "free" }, about.objective),
      element("h3", {}, "What each role is told"), ...mates);
  }

  why(call) {
    const { store } = this;
    const on = store.path.has(call);
    const goal = store.goals.has(call);
    // Without success the path is that of what was under way, too.
    const what = this.store.data.about.success ? "what was reached" : "what was reached or under way";
    const text = goal ? `On the causal path: ${what} counts this call.` : on ? `On the causal path: it led to ${what}.` : "Not on the causal path.";
    const box = element("div", { class: `why ${on ? "on" : "off"}` }, text);
    for (const [title, links] of [["because of", store.causes[call]], ["led to", store.effects[call]]]) {
      if (!links.length) continue;
      const buttons = links.map(([other, kind]) => {
        const step = store.steps[other];
        return this.link(other, `${other + 1} ${store.data.agents[step.agent].name}, ${(TOOLS[step.tool] || OTHER_TOOL)[1]} · ${kind}`);
      });
      box.append(element("div", { class: "soft" }, title), element("div", { class: "links" }, ...buttons));
    }
    return box;
  }

  // A raw reply: its text, its tool calls as they were sent, and whatever else it holds.
  reply(reply, i) {
    const head = ["Raw reply", i ? `${i + 1}` : "", reply.model || "", reply.finish ? `(${reply.finish})` : ""].filter(Boolean).join(" ");
    const made = element("details", { open: "" }, element("summary", {}, head));
    if (reply.problem) made.append(element("p", { class: "bad free" }, String(reply.problem)));
    if (reply.surplus) made.append(element("p", { class: "soft free" }, `${reply.surplus} tool call${reply.surplus > 1 ? "s" : ""} beyond the first, left out`));
    const { text, calls, ...rest } = Object(reply.reply);
    const written = (value) => (typeof value === "string" ? value : JSON.stringify(value, null, 1));
    const parts = [text, ...(Array.isArray(calls) ? calls.map((call) => `${written(Object(call).name)} ${written(Object(call).arguments)}`) : [calls])];
    if (Object.keys(rest).length) parts.push(rest);
    made.append(element("pre", {}, parts.filter((part) => part !== undefined && part !== "").map(written).join("\n\n") || "(empty)"));
    return made;
  }

  // -- team

  buildTeam() {
    this.mates = this.store.data.agents.map((agent, i) => {
      const fill = element("i");
      const [place, bag] = [element("span", { class: "place" }), element("span", { class: "bag" })];
      const row = element("button", { type: "button", class: "mate", onclick: () => this.choose(this.chosen === i ? -1 : i) },
        this.who(i), element("span", { class: "name", title: agent.name }, agent.name), element("span", { class: "meter" }, fill), place, bag);
      return { row, fill, place, bag, details: element("div", { class: "chosen-agent", hidden: "" }) };
    });
    this.boxes.team.replaceChildren(...this.mates.flatMap((mate) => [mate.row, mate.details]));
  }

  showTeam(moment) {
    const { store, chosen } = this;
    const acting = moment ? store.steps[moment - 1].agent : -1;
    this.mates.forEach((mate, i) => {
      const [at, agent] = [store.agent(i, moment), store.data.agents[i]];
      const share = at.hp / agent.max_hp;
      mate.fill.style.width = `${Math.round(share * 100)}%`;
      mate.fill.classList.toggle("low", share < 0.35);
      mate.row.classList.toggle("acting", i === acting);
      mate.row.classList.toggle("chosen", i === chosen);
      mate.row.setAttribute("aria-expanded", String(i === chosen));
      mate.place.textContent = `(${at.x}, ${at.y})${CONDITIONS[at.flag] ? ` ${CONDITIONS[at.flag]}` : ""}`;
      mate.bag.textContent = counted(store.bag(i, moment).bag);
      mate.details.hidden = i !== chosen;
      if (i === chosen) this.showMate(mate.details, i, moment);
      else mate.details.replaceChildren();
    });
  }

  showMate(box, i, moment) {
    const { store } = this;
    const [agent, at, { bag, worn }] = [store.data.agents[i], store.agent(i, moment), store.bag(i, moment)];
    let call = moment - 1;
    while (call >= 0 && store.steps[call].agent !== i) call -= 1;
    const pac = store.data.pac[agent.name];
    box.replaceChildren(
      element("p", { class: "free" }, agent.about),
      element("p", { class: "soft" }, `${at.hp}/${agent.max_hp} hit points, ${at.mana}/${agent.max_mana} mana; on the causal path with ${pac.toFixed(2)} of its turns`),
      element("h3", {}, "Bag"), element("p", {}, counted(bag)),
      element("h3", {}, "Worn"), element("p", {}, Object.entries(worn).map(([slot, item]) => `${item} (${slot})`).join(", ") || "nothing"),
      element("h3", {}, "Skills"), element("p", {}, Object.entries(agent.skills).map(([skill, level]) => `${skill} ${level}`).join(", ") || "none"),
      element("details", {}, element("summary", {}, "Guide"), element("pre", {}, agent.guide)),
      ...(call < 0 ? [] : [
        element("h3", {}, `At its last turn, call ${call + 1}`), this.link(call, store.steps[call].call),
        element("details", { open: "" }, element("summary", {}, "What it was shown"), element("pre", {}, store.shown(store.steps[call]))),
      ]));
  }

  // -- chat

  buildChat() {
    const { store } = this;
    this.said = store.messages.map((call) => {
      const step = store.steps[call];
      const [channel, text, heard] = step.said;
      const reach = channel === "team" ? "to the team" : heard.length ? `aloud, heard by ${heard.map((i) => store.data.agents[i].name).join(", ")}` : "aloud, unheard";
      const head = element("span", {}, element("b", {}, store.data.agents[step.agent].name), element("span", { class: "soft" }, ` ${reach}, `), this.link(call, `round ${step.round}`));
      return { call, row: element("div", { class: "said later" }, this.who(step.agent), head, element("p", { class: "free" }, text)) };
    });
    this.told = 0;
    const rows = this.said.map((one) => one.row);
    this.boxes.chat.replaceChildren(...(rows.length ? rows : [element("p", { class: "soft" }, "Nobody said anything in this episode.")]));
  }

  showChat(moment) {
    const { said } = this;
    let count = this.told;
    // Only what lies between the moment before and this one changes.
    while (count < said.length && said[count].call < moment) said[count++].row.classList.remove("later");
    while (count > 0 && said[count - 1].call >= moment) said[--count].row.classList.add("later");
    this.told = count;
    const latest = count ? said[count - 1] : null;
    this.latest?.row.classList.remove("now");
    latest?.row.classList.toggle("now", latest.call === moment - 1);
    this.latest = latest;
    if (this.scrolling) return;
    const box = this.boxes.chat;
    this.scrolling = requestAnimationFrame(() => {
      this.scrolling = 0;
      box.scrollTop = this.latest ? this.latest.row.offsetTop - box.clientHeight / 2 : 0;
    });
  }

  // -- goals

  buildGoals() {
    const { store } = this;
    const { data } = store;
    const box = this.boxes.goals;
    const psr = this.chart(data.changes.psr.map(([moment, value]) => [moment, value]), 1);
    psr.svg.id = "psr-chart";
    this.charts = [psr];
    this.psrText = element("b");
    this.goalRows = data.points.map((point, i) => {
      const chart = this.chart(store.rows.points.get(i).map(([moment, , have]) => [moment, have]), point.need);
      this.charts.push(chart);
      const [mark, count] = [element("span"), element("span", { class: "soft" })];
      const row = element("div", { class: "goal" }, element("div", { class: "row" }, mark, element("b", {}, point.label), count), chart.svg);
      return { row, mark, count };
    });
    this.rules = data.rules.map((label) => {
      const [mark, by] = [element("span"), element("span", { class: "soft" })];
      return { mark, by, row: element("div", { class: "goal" }, element("div", { class: "row" }, mark, element("b", {}, label), by)) };
    });
    const shares = data.about.success ? `CCE ${data.cce.toFixed(2)}` : `CCE 0 (no success); ${data.partial.toFixed(2)} of the turns led to what was reached or was under way`;
    box.replaceChildren(
      element("h2", {}, "Checkpoints over time"), element("p", { class: "free soft" }, data.about.objective),
      element("h3", {}, "PSR at this moment: ", this.psrText), psr.svg,
      element("h3", {}, "Checkpoints"), ...this.goalRows.map((one) => one.row),
      ...(this.rules.length ? [element("h3", {}, "Constraints"), ...this.rules.map((one) => one.row)] : []),
      element("p", { class: "soft" }, shares));
  }

  chart(rows, most) {
    const { last } = this.store;
    const svg = vector("svg", { viewBox: `0 0 ${Math.max(1, last)} 100`, preserveAspectRatio: "none", "aria-hidden": "true" });
    const top = Math.max(most, ...rows.map((row) => row[1]), 1e-9);
    let line = "";
    let height = 97;
    for (const [moment, value] of rows) {
      line += `${line ? `H${moment}` : `M${moment} 97`}V${(height = 97 - (94 * value) / top)}`;
    }
    line += `H${last}`;
    svg.append(vector("path", { class: "chart-area", d: `${line}V97H0Z` }), vector("path", { class: "chart-line", d: line }));
    const now = vector("line", { class: "chart-now", y1: 0, y2: 100, x1: 0, x2: 0 });
    svg.append(now);
    svg.addEventListener("click", (event) => this.go(Math.round((event.offsetX / svg.clientWidth) * last)));
    return { svg, now };
  }

  showGoals(moment) {
    const { store } = this;
    for (const { now } of this.charts) {
      now.setAttribute("x1", moment);
      now.setAttribute("x2", moment);
    }
    this.psrText.textContent = store.psr(moment).toFixed(2);
    this.goalRows.forEach(({ mark, count }, i) => {
      const [{ have, reached }, { need, round }] = [store.point(i, moment), store.data.points[i]];
      mark.textContent = reached ? "✓" : "○";
      mark.className = reached ? "good" : "soft";
      count.textContent = `${have}/${need}${reached && round ? `, round ${round}` : ""}`;
    });
    this.rules.forEach(({ mark, by }, i) => {
      const broken = store.broken(i, moment);
      mark.textContent = broken === null ? "✓" : "✗";
      mark.className = broken === null ? "good" : "bad";
      by.textContent = broken === null ? "held" : `broken${broken ? ` by ${broken}` : ""}`;
    });
  }
}
