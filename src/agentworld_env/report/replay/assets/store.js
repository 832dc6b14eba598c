// The episode as data: unpacking it, and how things stood at a moment. Moment k is right after call k - 1.

async function unpack() {
  const packed = atob(document.getElementById("episode").textContent.trim());
  const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

// Sorts rows [moment, key, ...] by key, so that the row in force at a moment is found by bisection.
function byKey(rows) {
  const found = new Map();
  for (const row of rows) {
    const list = found.get(row[1]);
    if (list) list.push(row);
    else found.set(row[1], [row]);
  }
  return found;
}

function inForce(rows, moment) {
  if (!rows || rows[0][0] > moment) return null;
  let low = 0;
  let high = rows.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (rows[middle][0] <= moment) low = middle;
    else high = middle - 1;
  }
  return rows[low];
}

const CONDITIONS = ["", "has left", "dead", "asleep"];

class Store {
  constructor(data) {
    this.data = data;
    this.steps = data.steps;
    this.last = data.steps.length;
    colours = data.agents.map((agent) => `rgb(${agent.colour})`);
    const changes = data.changes;
    this.rows = {};
    for (const kind of ["agents", "bags", "mobs", "nodes", "sites", "points", "broken"]) {
      this.rows[kind] = byKey(changes[kind]);
    }
    this.path = new Set(data.path);
    this.goals = new Set(data.success);
    this.causes = data.steps.map(() => []);
    this.effects = data.steps.map(() => []);
    for (const [source, target, kind, known] of data.edges) {
      this.causes[target].push([source, kind, known]);
      this.effects[source].push([target, kind, known]);
    }
    this.messages = [];
    data.steps.forEach((step, i) => step.said && this.messages.push(i));
  }

  // Round of the next call at a moment, which is also the one that decides what gives again.
  round(moment) {
    if (moment < this.last) return this.steps[moment].round;
    return this.data.last_round;
  }

  agent(i, moment) {
    const [, , x, y, hp, mana, flag] = inForce(this.rows.agents.get(i), moment);
    return { x, y, hp, mana, flag };
  }

  bag(i, moment) {
    const [, , bag, worn] = inForce(this.rows.bags.get(i), moment);
    return { bag, worn };
  }

  mob(i, moment) {
    const row = inForce(this.rows.mobs.get(i), moment);
    if (row) return { x: row[2], y: row[3], hp: row[4], target: row[5], alive: row[6] };
    const [, , , hp, , , x, y] = this.data.mobs[i];
    return { x, y, hp, target: -1, alive: 1 };
  }

  gives(i, moment) {
    const row = inForce(this.rows.nodes.get(i), moment);
    return (row ? row[2] : this.data.nodes[i][5]) <= this.round(moment);
  }

  point(i, moment) {
    const row = inForce(this.rows.points.get(i), moment);
    return { have: row[2], reached: row[3] };
  }

  broken(i, moment) {
    const row = inForce(this.rows.broken.get(i), moment);
    return row ? row[2] : null;
  }

  site(id, moment) {
    const row = inForce(this.rows.sites.get(id), moment);
    return row ? row[2] : {};
  }

  psr(moment) {
    let value = 0;
    for (const [from, psr] of this.data.changes.psr) {
      if (from > moment) break;
      value = psr;
    }
    return value;
  }

  shown(step) {
    return step.shown.map((number) => this.data.lines[number]).join("\n");
  }
}

let colours = [];

function agentColour(i) {
  return colours[i];
}

function element(kind, attributes = {}, ...children) {
  const made = document.createElement(kind);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "dot") made.style.setProperty("--dot", value);
    else if (value !== null && value !== false) made.setAttribute(name, value);
  }
  // Whatever comes from the record goes in as text, never as markup.
  made.append(...children.filter((child) => child !== null));
  return made;
}

function vector(kind, attributes = {}, text = null) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== null) made.textContent = text;
  return made;
}

function counted(things) {
  const parts = Object.entries(things).map(([item, count]) => `${count} ${item}`);
  return parts.length ? parts.join(", ") : "nothing";
}
