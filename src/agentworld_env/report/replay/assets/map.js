// The map: land, what stands on it, and the team, drawn on a canvas.

const MARK = { mob: "#b22420", boss: "#780c3c", person: "#fad63c", portal: "#7e46be", ground: "#ffffff" };

class WorldMap extends MapView {
  constructor(store, choose) {
    super(store, choose);
    this.pen = this.canvas.getContext("2d");
    this.ready = this.loadLand();
    this.key();
  }

  key() {
    const family = Object.entries(this.store.data.colours).filter(([name]) => this.store.data.nodes.some((n) => n[2] === name));
    const marks = family.map(([name, colour]) => [name, `rgb(${colour})`, false]);
    if (this.store.data.mobs.length) marks.push(["creature", MARK.mob, true]);
    if (this.store.data.mobs.some((mob) => mob[8])) marks.push(["boss", MARK.boss, true]);
    marks.push(["person or site", MARK.person, true], ["portal", MARK.portal, true]);
    const entries = marks.map(([name, colour, round]) => {
      const mark = element("i", round ? { class: "round" } : {});
      mark.style.background = colour;
      return element("span", {}, mark, name);
    });
    document.getElementById("map-key").replaceChildren(...entries);
  }

  // A faint grain keeps plains from looking like paint; as a part of the picture it would triple its size.
  async loadLand() {
    const picture = new Image();
    picture.src = `data:image/png;base64,${this.store.data.land.png}`;
    await picture.decode();
    this.land = element("canvas", { width: picture.width, height: picture.height });
    const pen = this.land.getContext("2d");
    pen.drawImage(picture, 0, 0);
    const pixels = pen.getImageData(0, 0, picture.width, picture.height);
    const bytes = pixels.data;
    for (let i = 0; i < bytes.length; i += 4) {
      if (bytes[i + 2] > bytes[i] + 30) continue; // water
      let mixed = Math.imul(i ^ (i >>> 9), 0x9e3779b1);
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca77);
      const grain = ((mixed >>> 13) % 9) - 4;
      for (let k = 0; k < 3; k++) bytes[i + k] += grain;
    }
    pen.putImageData(pixels, 0, 0);
  }

  show(moment, chosen, animate) {
    const call = moment - 1;
    const step = call >= 0 ? this.store.steps[call] : null;
    this.tween = null;
    if (animate && step?.ways && moment === this.moment + 1) {
      this.tween = { agent: step.agent, ways: step.ways, start: performance.now(), length: animate };
    }
    this.moment = moment;
    this.chosen = chosen;
    if (this.follow) this.centre();
    this.paint();
  }

  paint() {
    if (this.pending || !this.width) return;
    this.pending = true;
    requestAnimationFrame((time) => {
      this.pending = false;
      this.draw(time);
      if (this.tween) this.paint();
    });
  }

  draw(time) {
    const [x0, y0, x1, y1] = this.box;
    const edge = 48 / this.zoom; // so that what stands at the edge of the world is clear of the buttons
    this.x = this.within(this.x, x0 - edge, x1 + 1 + edge, this.width / this.zoom / 2);
    this.y = this.within(this.y, y0 - edge, y1 + 1 + edge, this.height / this.zoom / 2);
    const { pen, zoom, ratio } = this;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    pen.imageSmoothingEnabled = zoom < 1;
    pen.drawImage(this.land, this.sx(x0 - 0.5), this.sy(y0 - 0.5), (x1 - x0 + 1) * zoom, (y1 - y0 + 1) * zoom);
    this.spots = [];
    this.taken = [];
    const team = this.placeTeam(time);
    this.drawThings();
    this.drawSight();
    this.drawWays();
    this.drawTeam(team);
    this.drawScale();
  }

  drawThings() {
    const { store, moment } = this;
    const data = store.data;
    const size = Math.max(2, Math.min(9, this.zoom * 0.9));
    data.nodes.forEach(([id, gives, family, x, y], i) => {
      const [px, py] = [this.sx(x), this.sy(y)];
      if (!this.seen(px, py)) return;
      const there = store.gives(i, moment);
      this.square(px, py, size, `rgb(${data.colours[family]})`, there ? 1 : 0.25);
      this.spots.push([px, py, () => `${id}\n${gives}${there ? "" : ", depleted"} (${x}, ${y})`]);
    });
    for (const [name, x, y, tx, ty] of data.portals) {
      this.disc(x, y, 5, MARK.portal, "#fff", () => `${name}: leads to (${tx}, ${ty})`);
    }
    for (const [id, name, role, x, y, wants] of data.people) {
      this.disc(x, y, 4, MARK.person, "#222", () => this.told(id, name, role, x, y, wants));
    }
    for (const [id, item, units, x, y, from, to] of data.ground) {
      if (moment < from || (to >= 0 && moment >= to)) continue;
      this.disc(x, y, 3, MARK.ground, "#222", () => `${id}\n${units} ${item} on the ground (${x}, ${y})`);
    }
    data.mobs.forEach(([id, name, level, most, hostile, , , , boss], i) => {
      const mob = store.mob(i, moment);
      if (!mob.alive) return;
      const about = () => {
        const after = mob.target >= 0 ? `\nfights ${data.agents[mob.target].name}` : "";
        return `${id} (${name})\nlevel ${level}, ${mob.hp}/${most} hit points${hostile ? ", hostile" : ""}${after}`;
      };
      const [size, rim] = [boss ? 6 : hostile ? 3.4 : 2.6, mob.target >= 0 ? "#fff" : "#0006"];
      this.disc(mob.x, mob.y, size, boss ? MARK.boss : MARK.mob, rim, about);
      if (mob.hp < most) this.health(this.sx(mob.x), this.sy(mob.y) - size - 5, mob.hp / most);
    });
    if (this.zoom > 0.7) this.drawPlaces();
  }

  told(id, name, role, x, y, wants) {
    const got = this.store.site(id, this.moment);
    const lines = Object.entries(wants).map(([item, count]) => `${got[item] || 0}/${count} ${item}`);
    return `${name} (${id}), ${role} (${x}, ${y})${lines.length ? `\ntakes ${lines.join(", ")}` : ""}`;
  }

  drawPlaces() {
    const { pen } = this;
    pen.font = "italic 11px system-ui, sans-serif";
    pen.textAlign = "center";
    for (const [name, kind, x, y] of this.store.data.places) {
      if (kind === "region" && this.zoom > 3) continue;
      const [px, py] = [this.sx(x), this.sy(y) - 12];
      if (!this.seen(px, py)) continue;
      const half = pen.measureText(name).width / 2;
      if (this.claim(px - half, py - 7, px + half, py + 7)) this.write(name, px, py, "#fffbe8", "#000a");
    }
  }

  claim(x0, y0, x1, y1) {
    if (this.taken.some((box) => x0 < box[2] && box[0] < x1 && y0 < box[3] && box[1] < y1)) return false;
    this.taken.push([x0, y0, x1, y1]);
    return true;
  }

  write(text, x, y, ink, rim) {
    const { pen } = this;
    pen.textBaseline = "middle";
    pen.lineWidth = 3;
    pen.lineJoin = "round";
    pen.strokeStyle = rim;
    pen.strokeText(text, x, y);
    pen.fillStyle = ink;
    pen.fillText(text, x, y);
  }

  square(px, py, size, colour, alpha) {
    const { pen } = this;
    pen.globalAlpha = alpha;
    pen.fillStyle = colour;
    pen.fillRect(px - size / 2, py - size / 2, size, size);
    pen.globalAlpha = 1;
  }

  disc(x, y, radius, colour, rim, about) {
    const [px, py] = [this.sx(x), this.sy(y)];
    if (!this.seen(px, py)) return;
    this.blob(px, py, radius * Math.max(0.7, Math.min(1.4, this.zoom / 3)), colour, rim, 1);
    if (about) this.spots.push([px, py, about]);
  }

  blob(px, py, radius, colour, rim, width) {
    const { pen } = this;
    pen.beginPath();
    pen.arc(px, py, radius, 0, 7);
    pen.fillStyle = colour;
    pen.fill();
    pen.lineWidth = width;
    pen.strokeStyle = rim;
    pen.stroke();
  }

  health(px, py, share) {
    const { pen } = this;
    pen.fillStyle = "#000a";
    pen.fillRect(px - 9, py - 1, 18, 4);
    pen.fillStyle = share > 0.5 ? "#59d98c" : share > 0.25 ? "#ffc04d" : "#ff6a5e";
    pen.fillRect(px - 8, py, 16 * share, 2);
  }

  drawSight() {
    const i = this.chosen >= 0 ? this.chosen : this.moment > 0 ? this.store.steps[this.moment - 1].agent : -1;
    if (i < 0) return;
    const { x, y } = this.store.agent(i, this.moment);
    const reach = (this.store.data.about.sight + 0.5) * this.zoom;
    const [px, py] = [this.sx(x), this.sy(y)];
    this.line([px, py - reach, px + reach, py, px, py + reach, px - reach, py, px, py - reach], "#fff9", 1, [4, 5]);
  }

  drawWays() {
    const step = this.moment > 0 ? this.store.steps[this.moment - 1] : null;
    for (const way of step?.ways || []) {
      const points = way.map((value, i) => (i % 2 ? this.sy(value) : this.sx(value)));
      this.line(points, "#000a", 4, []);
      this.line(points, agentColour(step.agent), 2.4, []);
    }
  }

  line(points, colour, width, dash) {
    const { pen } = this;
    pen.beginPath();
    for (let i = 0; i < points.length; i += 2) pen.lineTo(points[i], points[i + 1]);
    pen.setLineDash(dash);
    pen.lineJoin = "round";
    pen.lineWidth = width;
    pen.strokeStyle = colour;
    pen.stroke();
    pen.setLineDash([]);
  }

  along(time) {
    const { ways, start, length } = this.tween;
    const share = Math.min(1, (time - start) / length);
    if (share >= 1) {
      this.tween = null;
      return null;
    }
    const way = ways[ways.length - 1];
    let total = 0;
    for (let i = 2; i < way.length; i += 2) total += Math.abs(way[i] - way[i - 2]) + Math.abs(way[i + 1] - way[i - 1]);
    let left = share * total;
    for (let i = 2; i < way.length; i += 2) {
      const part = Math.abs(way[i] - way[i - 2]) + Math.abs(way[i + 1] - way[i - 1]);
      if (left <= part && part) {
        const t = left / part;
        return [way[i - 2] + t * (way[i] - way[i - 2]), way[i - 1] + t * (way[i + 1] - way[i - 1])];
      }
      left -= part;
    }
    return null;
  }

  // Agents that stand too near to each other to be told apart are drawn around their common middle.
  placeTeam(time) {
    const groups = [];
    this.store.data.agents.forEach((agent, i) => {
      const at = this.store.agent(i, this.moment);
      const tile = this.tween?.agent === i ? this.along(time) || [at.x, at.y] : [at.x, at.y];
      const one = { i, at, name: agent.name, most: agent.max_hp, px: this.sx(tile[0]), py: this.sy(tile[1]) };
      const group = groups.find((g) => Math.hypot(g[0].px - one.px, g[0].py - one.py) < 13);
      if (group) group.push(one);
      else groups.push([one]);
    });
    for (const group of groups) {
      const radius = group.length > 1 ? Math.max(9, (group.length * 14) / 6.283) : 0;
      const [mx, my] = [group[0].px, group[0].py];
      this.taken.push([mx - radius - 8, my - radius - 8, mx + radius + 8, my + radius + 8]);
      group.radius = radius;
      group.middle = [mx, my];
      group.forEach((one, k) => {
        const turn = (k / group.length) * 6.283 - 1.571;
        one.px = mx + radius * Math.cos(turn);
        one.py = my + radius * Math.sin(turn);
      });
    }
    return groups;
  }

  drawTeam(groups) {
    const acting = this.moment > 0 ? this.store.steps[this.moment - 1].agent : -1;
    for (const group of groups) if (group.radius) this.blob(...group.middle, group.radius, "#0003", "#fff6", 1);
    const placed = groups.flat();
    // Names keep clear of each other and of all markers, in place of what was kept free around groups.
    this.taken = placed.map(({ px, py }) => [px - 6, py - 6, px + 6, py + 6]);
    placed.sort((a, b) => (a.i === acting) - (b.i === acting) || (a.i === this.chosen) - (b.i === this.chosen));
    for (const one of placed) this.drawAgent(one, one.i === acting || one.i === this.chosen);
    for (const one of [...placed].reverse()) this.drawName(one, one.i === acting || one.i === this.chosen);
  }

  drawAgent({ i, at, name, most, px, py }, strong) {
    const colour = at.flag === 2 ? "#555" : agentColour(i);
    if (strong) this.blob(px, py, 10, "transparent", "#fff", 2.5);
    this.blob(px, py, 6.5, colour, "#111", 1.5);
    if (at.flag === 2) this.cross(px, py);
    if (at.flag === 3) this.write("z", px - 12, py - 8, "#fff", "#000");
    if (at.hp < most && at.flag !== 2) this.health(px, py - 14, at.hp / most);
    const condition = CONDITIONS[at.flag] ? `, ${CONDITIONS[at.flag]}` : "";
    this.spots.push([px, py, () => `${name} (${at.x}, ${at.y})\n${at.hp}/${most} hit points${condition}`, i]);
  }

  cross(px, py) {
    this.line([px - 4, py - 4, px + 4, py + 4], "#fff", 2, []);
    this.line([px - 4, py + 4, px + 4, py - 4], "#fff", 2, []);
  }

  drawName({ name, px, py }, strong) {
    this.pen.font = `${strong ? 700 : 500} 12px system-ui, sans-serif`;
    this.pen.textAlign = "left";
    const width = this.pen.measureText(name).width;
    const spots = [[px + 11, py], [px - 11 - width, py], [px - width / 2, py + 17], [px - width / 2, py - 17]];
    const free = spots.find(([x, y]) => this.claim(x - 1, y - 7, x + width + 1, y + 7));
    if (free || strong) this.write(name, ...(free || spots[0]), "#fff", "#000c");
  }

  drawScale() {
    const tiles = [5, 10, 20, 50, 100, 200, 500].find((n) => n * this.zoom >= 60) || 1000;
    const scale = document.getElementById("scale");
    scale.style.width = `${Math.round(tiles * this.zoom)}px`;
    scale.textContent = `${tiles} tiles`;
  }
}
