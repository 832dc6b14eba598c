// What part of the land the map shows: zooming, dragging, fitting, and what lies under the pointer.

const NEAR = 10;

class MapView {
  constructor(store, choose) {
    this.store = store;
    this.choose = choose;
    this.canvas = document.getElementById("map");
    this.tip = document.getElementById("tip");
    this.box = store.data.land.box;
    this.moment = 0;
    this.chosen = -1;
    this.follow = false;
    this.fingers = new Map();
    this.spots = [];
    this.listen();
  }

  // -- where is what on the screen

  resize() {
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    if (!width || !height) return;
    const before = [this.width, this.height];
    [this.width, this.height, this.ratio] = [width, height, window.devicePixelRatio || 1];
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    if (!this.zoom || (before[0] && Math.abs(before[0] - width) > width / 2)) this.fitTeam();
    else this.paint();
  }

  sx(x) {
    return (x + 0.5 - this.x) * this.zoom + this.width / 2;
  }

  sy(y) {
    return (y + 0.5 - this.y) * this.zoom + this.height / 2;
  }

  frame(x0, y0, x1, y1) {
    this.x = (x0 + x1 + 1) / 2;
    this.y = (y0 + y1 + 1) / 2;
    // Less the strips that buttons and legend cover.
    this.zoom = Math.min(24, (this.width - 24) / (x1 - x0 + 1), (this.height - 84) / (y1 - y0 + 1));
    this.paint();
  }

  fitAll() {
    this.frame(...this.box);
  }

  fitTeam() {
    const team = this.store.data.agents.map((_, i) => this.store.agent(i, this.moment));
    const [xs, ys] = [team.map((a) => a.x), team.map((a) => a.y)];
    this.frame(Math.min(...xs) - 14, Math.min(...ys) - 14, Math.max(...xs) + 14, Math.max(...ys) + 14);
  }

  zoomBy(factor, px = this.width / 2, py = this.height / 2) {
    const least = 0.7 * Math.min(this.width / (this.box[2] - this.box[0] + 1), this.height / (this.box[3] - this.box[1] + 1));
    const zoom = Math.max(Math.min(least, 1), Math.min(40, this.zoom * factor));
    // What lies under the pointer stays there.
    this.x += (px - this.width / 2) * (1 / this.zoom - 1 / zoom);
    this.y += (py - this.height / 2) * (1 / this.zoom - 1 / zoom);
    this.zoom = zoom;
    if (this.follow) this.centre();
    this.paint();
  }

  // Puts whoever acted last into the middle.
  centre() {
    if (!this.moment) return;
    const at = this.store.agent(this.store.steps[this.moment - 1].agent, this.moment);
    [this.x, this.y] = [at.x + 0.5, at.y + 0.5];
  }

  // Keeps the middle of the view where no edge of the land is inside the view, if that can be.
  within(middle, first, last, half) {
    if (last - first <= 2 * half) return (first + last) / 2;
    return Math.max(first + half, Math.min(last - half, middle));
  }

  seen(x, y) {
    return x > -8 && y > -8 && x < this.width + 8 && y < this.height + 8;
  }

  // -- pointer

  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoomBy(Math.exp(-event.deltaY * 0.0016), event.offsetX, event.offsetY);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
      this.moved = 0;
      canvas.classList.add("held");
    });
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    const release = (event) => {
      if (this.fingers.delete(event.pointerId) && event.type === "pointerup" && this.moved < 5) this.pick(event);
      canvas.classList.toggle("held", this.fingers.size > 0);
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
  }

  drag(event) {
    const before = this.fingers.get(event.pointerId);
    const now = [event.offsetX, event.offsetY];
    if (!before) return this.hover(now);
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const spread = (a) => Math.max(8, Math.hypot(a[0] - other[0], a[1] - other[1]));
      this.zoomBy(spread(now) / spread(before), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
    } else {
      this.x -= (now[0] - before[0]) / this.zoom;
      this.y -= (now[1] - before[1]) / this.zoom;
      this.paint();
    }
    this.moved += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
    this.fingers.set(event.pointerId, now);
    return undefined;
  }

  nearest([x, y]) {
    let best = null;
    let least = NEAR;
    for (const spot of this.spots) {
      // Agents lie on top of everything else.
      const distance = Math.hypot(spot[0] - x, spot[1] - y) - (spot.length > 3 ? NEAR : 0);
      if (distance <= (spot.length > 3 ? Math.min(least, 0) : least)) [best, least] = [spot, distance];
    }
    return best;
  }

  hover(at) {
    const spot = this.nearest(at);
    this.tip.hidden = !spot;
    if (!spot) return;
    this.tip.textContent = spot[2]();
    const right = at[0] > this.width - 220;
    this.tip.style.left = right ? "auto" : `${at[0] + 14}px`;
    this.tip.style.right = right ? `${this.width - at[0] + 14}px` : "auto";
    this.tip.style.top = `${Math.max(0, Math.min(at[1] + 10, this.height - 70))}px`;
  }

  pick(event) {
    const spot = this.nearest([event.offsetX, event.offsetY]);
    if (spot && spot.length > 3) this.choose(spot[3]);
    else if (!spot) this.choose(-1);
  }
}
