// The board: the game's own picture with a button on every cell. The server says by which clicks each move is made, so
// that this file knows no game. Clicks, drags and keys all end in `pick`.
import { h, image, put } from "./dom.js";

const SIZE = 40; // of a cell in the picture
const same = (a, b) => a[0] === b[0] && a[1] === b[1];

export class Board {
  /** `play(name)` is called with the move that a person has chosen. */
  constructor(play) {
    this.play = play;
    this.legal = [];
    this.from = null;
    this.buttons = [];
    this.picture = {};
    this.hints = [];
    this.taken = [];
    this.box = h("div", { className: "board" });
    this.named = h("div");
    this.element = h("div", {}, this.box, this.named);
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("pointerdown", (event) => this.grab(event));
  }

  /** Show a picture, with the moves that can be made on it. */
  show(picture, legal = []) {
    this.legal = legal;
    this.from = null;
    this.taken = []; // steps of a move that is being clicked
    this.hints = [];
    this.closeChooser();
    const changed = picture.svg !== this.picture.svg || picture.text !== this.picture.text;
    const rows = picture.cells?.length ?? 0;
    const columns = rows ? [...picture.cells[0]].length : 0;
    if (changed || !this.box.firstChild) {
      const old = this.picture.cells, spots = Object.entries(picture.spots ?? {});
      const keeps = old && rows === old.length && columns === [...old[0]].length;
      this.picture = picture;
      const shown = picture.svg ? image(picture.svg, rows ? "" : picture.text) : h(
        "pre",
        { className: "text", tabIndex: 0 },
        picture.text
      );
      if (keeps && this.box.querySelector("img")) this.box.querySelector("img").replaceWith(shown);
      else put(this.box, shown, rows ? this.cells(rows, columns) : spots.length ? this.spots(spots) : null);
      const size = /viewBox="0 0 ([\d.]+) ([\d.]+)"/.exec(picture.svg ?? "");
      this.box.classList.toggle("drawn", !rows && !spots.length);
      this.box.style.setProperty("--shape", columns ? columns / rows : size ? size[1] / size[2] : 2);
    }
    this.mark();
    this.list();
  }

  cells(rows, columns) {
    const { left, below } = this.picture;
    const width = left + SIZE * columns + 4, height = 4 + SIZE * rows + below;
    const percent = (part, whole) => `${(100 * part) / whole}%`;
    this.buttons = [];
    const grid = h("div", {
      className: "cells", role: "group", "aria-label": "Board",
      style: {
        left: percent(left, width), top: percent(4, height), width: percent(SIZE * columns, width),
        height: percent(SIZE * rows, height), "grid-template-columns": `repeat(${columns}, 1fr)`,
        "grid-template-rows": `repeat(${rows}, 1fr)`,
      },
    });
    for (let r = 0; r < rows; r++) {
      for (let c = 0; c < columns; c++) {
        const button = h(
          "button",
          {
            className: "cell",
            type: "button",
            tabIndex: this.buttons.length ? -1 : 0,
            onclick: () => this.pick([r, c]),
          }
        );
        button.dataset.cell = `${r},${c}`;
        button.cell = [r, c];
        this.buttons.push(button);
        grid.append(button);
      }
    }
    return grid;
  }

  /** Buttons on a picture that the game has drawn itself, where it says that it can be clicked. */
  spots(places) {
    const percent = (part) => `${100 * part}%`;
    this.buttons = places.map(([name, [left, top, width, height]]) => {
      const style = { left: percent(left), top: percent(top), width: percent(width), height: percent(height) };
      const button = h("button", { className: "cell spot", type: "button", style, onclick: () => this.pickSpot(name) });
      button.dataset.spot = name;
      return button;
    });
    return h("div", { className: "spots", role: "group", "aria-label": "Board" }, this.buttons);
  }

  /** The moves that have all steps that were clicked, each with the steps that are left of it. */
  possible() {
    return this.legal.filter((move) => move.steps?.length).flatMap((move) => {
      const left = [...move.steps];
      for (const step of this.taken) {
        const at = left.findIndex((each) => each[0] === step[0] && each[1] === step[1]);
        if (at < 0) return [];
        left.splice(at, 1);
      }
      return [{ move, left }];
    });
  }

  markSpots() {
    const possible = this.possible(), steps = possible.flatMap(({ left }) => left);
    for (const button of this.buttons) {
      const name = button.dataset.spot, isTarget = this.from !== null && steps.some(
        ([f, t]) => f === this.from && t === name
      );
      const is = {
        from: this.from === name,
        target: isTarget,
        movable: steps.some(([f]) => f === name),
        hint: this.hints.includes(name),
      };
      for (
        const [kind, on] of Object.entries({ ...is, can: is.target || is.movable })
      ) button.classList.toggle(kind, on);
      button.tabIndex = is.target || is.movable ? 0 : -1;
      button.setAttribute(
        "aria-label",
        [
          name,
          is.from ? "chosen" : is.target ? "can be moved to" : is.movable ? "can be chosen" : "",
          is.hint ? "hint" : "",
        ].filter(Boolean).join(", ")
      );
    }
  }

  /** A spot was clicked: a step begins or ends; when only one move is left, it is played. */
  pickSpot(name) {
    this.closeChooser();
    const isStep = this.from !== null && this.possible().some(
      ({ left }) => left.some(([f, t]) => f === this.from && t === name)
    );
    if (!isStep) {
      this.from = this.from === name || !this.possible().some(
        ({ left }) => left.some(([f]) => f === name)
      ) ? null : name;
      return this.markSpots();
    }
    this.taken.push([this.from, name]);
    this.from = null;
    const possible = this.possible(), whole = possible.filter(({ left }) => !left.length);
    if (possible.length === 1 || whole.length) return this.settle(possible.map(({ move }) => move));
    return this.markSpots();
  }

  name([r, c]) {
    const { rows, columns } = this.picture;
    if (rows.length && columns.length) return `${columns[c]}${rows[r]}`;
    return `row ${rows[r] ?? r + 1}, column ${columns[c] ?? c + 1}`;
  }

  /** Classes and labels of the cells: what can be clicked, what is chosen, where it can go. */
  mark() {
    if (this.picture.spots && this.buttons[0]?.dataset.spot) return this.markSpots();
    const first = new Set(), targets = new Set(), columns = new Set();
    for (const move of this.legal) {
      if (move.column !== undefined) columns.add(move.column);
      for (const way of move.clicks) {
        first.add(String(way[0]));
        if (this.from && way.length === 2 && same(way[0], this.from)) targets.add(String(way[1]));
      }
    }
    for (const button of this.picture.cells ? this.buttons : []) {
      const key = String(button.cell), [r, c] = button.cell;
      const is = {
        can: first.has(key) || targets.has(key) || columns.has(c),
        movable: first.has(key),
        from: this.from && same(this.from, button.cell),
        target: targets.has(key),
        hint: this.hints.some((each) => same(each, button.cell)),
      };
      for (const [name, on] of Object.entries(is)) button.classList.toggle(name, Boolean(on));
      const piece = [...this.picture.cells[r]][c];
      const words = [this.name(button.cell), ".- ".includes(piece) ? "empty" : piece];
      if (is.from) words.push("chosen");
      else if (is.target) words.push("can be moved to");
      else if (is.can) words.push("can be chosen");
      if (is.hint) words.push("hint");
      button.setAttribute("aria-label", words.join(", "));
    }
    return undefined;
  }

  /** The moves by their names: always those that no click can make, and all if they are wanted. */
  list() {
    const unclickable = this.legal.filter((move) => !move.clicks.length && !move.steps?.length);
    const clickable = this.legal.length - unclickable.length;
    put(this.named,
      unclickable.length ? this.group(unclickable) : null,
      clickable ? h("details", { open: this.isOpen, ontoggle: (event) => (this.isOpen = event.target.open) },
        h("summary", {}, "All moves by name"),
        h("div", { className: "all" }, this.group(this.legal))) : null);
  }

  button(move, shown = move.name) {
    return h("button", { type: "button", className: "move", onclick: () => this.choose(move.name) }, shown);
  }

  /** Long lists of moves of several words are chosen word by word: backgammon's plays, for example. */
  group(moves, prefix = "") {
    const words = (move) => move.name.slice(prefix.length).split(" ").filter(Boolean);
    const box = h("div", { className: "named", role: "group", "aria-label": "Moves" });
    const heads = new Map();
    for (const move of moves) {
      const [head] = words(move);
      heads.set(head, [...(heads.get(head) ?? []), move]);
    }
    if (
      moves.length <= 12 || heads.size < 2 || heads.size === moves.length
    ) return put(box, moves.map((move) => this.button(move))) && box;
    for (const [head, under] of heads) {
      box.append(under.length === 1 ? this.button(under[0]) : h("button", {
        type: "button", className: "move",
        onclick: () => put(
          box,
          h("button", { type: "button", onclick: () => box.replaceWith(this.group(moves, prefix)) }, "back"),
          under.map((move) => this.button(move))
        ),
      }, `${head} …`));
    }
    return box;
  }

  /** A cell was clicked: it is a move, the beginning of one, or nothing. */
  pick(cell) {
    this.closeChooser();
    const by = (fits) => this.legal.filter((move) => move.clicks.some(fits));
    if (this.from && same(this.from, cell)) {
      this.from = null;
      return this.mark();
    }
    if (this.from) {
      const found = by((way) => way.length === 2 && same(way[0], this.from) && same(way[1], cell));
      if (found.length) return this.settle(found);
    }
    const putDown = by((way) => way.length === 1 && same(way[0], cell));
    const moving = by((way) => way.length === 2 && same(way[0], cell));
    if (putDown.length && moving.length) {
      this.from = cell;
      this.mark();
      return this.settle(putDown, true);
    }
    if (putDown.length) return this.settle(putDown);
    if (moving.length) {
      this.from = cell;
      return this.mark();
    }
    this.from = null;
    this.mark();
    const inColumn = this.legal.filter((move) => move.column === cell[1]);
    return inColumn.length === 1 ? this.settle(inColumn) : undefined;
  }

  /** One move is played; of several, a small choice is offered. */
  settle(moves, mayBeNone = false) {
    if (moves.length === 1 && !mayBeNone) return this.choose(moves[0].name);
    this.chooser = h("div", { className: "card chooser", role: "dialog", "aria-label": "Which move?" },
      moves.map((move) => this.button(move)),
      h("button", { type: "button", onclick: () => this.closeChooser() }, mayBeNone ? "move it" : "none"));
    this.box.append(this.chooser);
    return this.chooser.querySelector("button").focus();
  }

  closeChooser() {
    this.chooser?.remove();
    this.chooser = null;
  }

  choose(name) {
    this.closeChooser();
    this.from = null;
    this.legal = [];
    this.mark();
    for (const button of this.named.querySelectorAll("button")) button.disabled = true;
    this.play(name);
  }

  /** Mark the cells of a move that is advised. */
  hint(name) {
    const move = this.legal.find((each) => each.name === name);
    this.hints = move?.steps?.flat() ?? move?.clicks[0] ?? [];
    this.mark();
    for (
      const button of this.named.querySelectorAll("button.move")
    ) button.classList.toggle("main", button.textContent === name);
  }

  key(event) {
    if (event.key === "Escape") {
      this.from = null;
      this.taken = [];
      this.closeChooser();
      return this.mark();
    }
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    const at = this.buttons.indexOf(document.activeElement);
    if (!step || at < 0 || !this.buttons[at].cell) return undefined;
    event.preventDefault();
    event.stopPropagation();
    const [r, c] = this.buttons[at].cell;
    const next = this.buttons.find((each) => same(each.cell, [r + step[0], c + step[1]]));
    if (next) {
      this.buttons[at].tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    }
    return undefined;
  }

  /** Dragging: the piece follows the pointer, and is let go on a cell. */
  grab(event) {
    const start = event.target.closest(".cell.movable:not(.spot)");
    if (!start || event.button) return;
    const { clientX, clientY } = event;
    let ghost = null;
    if (start.hasPointerCapture?.(event.pointerId)) start.releasePointerCapture(event.pointerId);
    const move = (now) => {
      if (!ghost && Math.hypot(now.clientX - clientX, now.clientY - clientY) > 8) {
        if (!this.from || !same(this.from, start.cell)) this.pick(start.cell);
        ghost = this.ghost(start);
      }
      if (ghost) Object.assign(ghost.style, { left: `${now.clientX}px`, top: `${now.clientY}px` });
    };
    const end = (now) => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", end);
      removeEventListener("pointercancel", end);
      if (!ghost) return;
      ghost.remove();
      const over = document.elementFromPoint(now.clientX, now.clientY)?.closest(".cell");
      if (over && over !== start && this.from) this.pick(over.cell);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end);
    addEventListener("pointercancel", end);
  }

  ghost(start) {
    const source = this.box.querySelector("img"), box = start.getBoundingClientRect(), whole = source.getBoundingClientRect();
    const ghost = h("div", { className: "ghost" });
    Object.assign(ghost.style, {
      width: `${box.width}px`, height: `${box.height}px`, backgroundImage: `url("${source.src.replaceAll('"', "%22")}")`,
      backgroundSize: `${whole.width}px ${whole.height}px`, backgroundPosition: `${whole.left - box.left}px ${whole.top - box.top}px`,
    });
    document.body.append(ghost);
    return ghost;
  }
}

/** The evaluation bar: the first player's part of the chances. */
export class Bar {
  constructor() {
    this.first = h("i");
    this.element = h(
      "div",
      {
        className: "bar unknown",
        role: "meter",
        "aria-label": "Chance of the first player",
        "aria-valuemin": 0,
        "aria-valuemax": 100,
        "aria-valuenow": 50,
      },
      this.first,
      h("b")
    );
  }

  show(chance) {
    const known = typeof chance === "number";
    this.element.classList.toggle("unknown", !known);
    this.element.setAttribute("aria-valuenow", known ? Math.round(100 * chance) : 50);
    this.first.style.flexBasis = `${known ? 100 * chance : 50}%`;
  }
}
