// The view Analyse: a position or a game, its best lines as they are found, and what to think of each move.
import { careful, post, socket } from "./api.js";
import { Bar, Board } from "./board.js";
import { valueChart } from "./charts.js";
import { card, h, number, put } from "./dom.js";
import { moveList } from "./moves.js";

export const title = "Analyse";

export async function open(main, { game }) {
  if (game.hidden) {
    put(
      main,
      h(
        "p",
        { className: "card" },
        `${game.title} has something hidden: there is no best line to show. `,
        h("code", {}, `counterplay equilibrium ${game.name}`),
        " tells how to play it."
      )
    );
    return undefined;
  }
  const view = new Analyse(game);
  put(main, view.element);
  await view.go(0);
  const keys = (event) => view.key(event);
  addEventListener("keydown", keys);
  return () => {
    removeEventListener("keydown", keys);
    view.stop();
  };
}

class Analyse {
  constructor(game) {
    Object.assign(this, { game, begins: "", moves: [], at: 0, stop: () => {}, seats: [], thinks: true });
    this.board = new Board(careful((name) => this.play(name)));
    this.bar = new Bar();
    const button = (words, work, more = {}) => h("button", { type: "button", onclick: careful(work), ...more }, words);
    this.text = h(
      "textarea",
      {
        "aria-label": "A game or its moves: PGN, a saved game, or names",
        placeholder: "Paste a game: PGN, a saved game, or moves by their names",
      }
    );
    this.position = h(
      "input",
      { "aria-label": "Position", className: "line", placeholder: "a position; empty for the start" }
    );
    this.multi = h(
      "select",
      { "aria-label": "Lines", onchange: () => this.think() },
      [1, 2, 3, 5, 8].map((n) => h("option", { value: n, selected: n === 3 }, `${n} ${n === 1 ? "line" : "lines"}`))
    );
    this.toggle = h(
      "input",
      { type: "checkbox", checked: true, onchange: () => { this.thinks = this.toggle.checked; this.think(); } }
    );
    this.status = h("p", { role: "status", "aria-live": "polite" });
    this.lines = h("table");
    this.figures = h("div", { className: "line" });
    this.list = h("div", { className: "moves" });
    this.chart = h("div");
    this.summary = h("p", { className: "soft" });
    this.reasons = h("div");
    this.element = h("div", { className: "layout" },
      h("section", { className: "card", "aria-label": "Board" }, this.board.element, h("div", { className: "foot" },
        button(
          "|◀",
          () => this.go(0),
          { "aria-label": "To the beginning" }
        ), button("◀", () => this.go(this.at - 1), { "aria-label": "Back" }),
        button("▶", () => this.go(this.at + 1), { "aria-label": "Forward" }), button(
          "▶|",
          () => this.go(this.moves.length),
          { "aria-label": "To the end" }
        ),
        h("span", { className: "space" }), h("label", {}, this.toggle, " think"), this.multi, button("Why?", () => this.explain()))),
      this.bar.element,
      h("div", { className: "side" },
        card("Best lines", this.status, this.lines, this.figures),
        card("Why?", this.reasons),
        card(
          "Game",
          this.list,
          h("div", { className: "foot" }, button("Judge every move", () => this.review())),
          this.summary,
          this.chart
        ),
        card("Another game or position", h("div", { className: "fields" }, this.text, h("label", {}, "Position", this.position)), h("div", { className: "foot" }, button("Read", () => this.read(), { className: "main" })))));
    put(this.reasons, h("span", { className: "soft" }, "Ask why the best move is better than the others."));
  }

  asked(more = {}) {
    return {
      game: this.game.name,
      begins: this.begins,
      moves: this.moves.slice(0, this.at).map((move) => move.name),
      ...more
    };
  }

  async read() {
    const found = await post(
      "api/read",
      { game: this.game.name, text: this.text.value, position: this.position.value }
    );
    this.begins = found.begins;
    this.moves = found.moves.map((name) => ({ name, seat: 0 }));
    this.summary.textContent = found.players.join(" – ");
    await this.number();
    await this.go(0);
  }

  /** Who made each move is asked of nobody: two in turn, as far as is known. */
  async number() {
    this.moves.forEach((move, i) => (move.seat = this.game.players.length === 2 && !this.game.chance ? i % 2 : 2));
  }

  async play(name) {
    this.moves = [...this.moves.slice(0, this.at), { name }];
    await this.number();
    await this.go(this.moves.length);
  }

  async go(ply) {
    this.at = Math.min(Math.max(0, ply), this.moves.length);
    const here = this.at;
    const found = await post("api/position", this.asked());
    if (here !== this.at) return;
    this.board.show(found.picture, found.legal);
    this.position.placeholder = found.text;
    this.whose = found.whose;
    this.over = found.ending;
    moveList(
      this.list,
      this.moves,
      { at: this.at, pick: careful((to) => this.go(to)), why: careful((to) => this.go(to)) }
    );
    this.draw();
    this.think();
  }

  draw() {
    put(this.chart, valueChart(this.moves, (ply) => careful(() => this.go(ply))()));
  }

  think() {
    this.stop();
    put(this.lines);
    this.figures.textContent = "";
    if (this.over || !this.thinks) {
      this.status.textContent = this.over ? `The game is over: ${this.over}.` : `${this.whose} is to move.`;
      return;
    }
    this.status.textContent = `${this.whose} is to move. Thinking …`;
    const show = (found) => this.showLines(found);
    this.stop = socket.ask({ do: "lines", ...this.asked({ multi: Number(this.multi.value) }) }, {
      progress: show, done: show, failed: (why) => (this.status.textContent = why),
    });
  }

  showLines(found) {
    if (found.compiling) {
      this.status.textContent = "The rules are being compiled, once …";
      return;
    }
    this.status.textContent = `${this.whose} is to move: ${found.worth}${found.proven ? ", proven" : ""}.`;
    put(this.lines, h("tbody", {}, found.lines.map((line) => h("tr", {},
      h("td", {}, h("button", { type: "button", onclick: careful(() => this.follow(line.names)) }, line.move)),
      h("td", {}, line.worth, h("div", { className: "line" }, line.line))))));
    const speed = found.seconds > 0 ? ` · ${number(Math.round(found.nodes / found.seconds))}/s` : "";
    this.figures.textContent = `${found.simulations ? `${number(found.simulations)} simulations` : `depth ${found.depth}`} · ${number(found.nodes)} positions${speed} · ${found.algorithm}`;
    this.bar.show(this.game.players.length === 2 ? found.chance : undefined);
    if (found.lines.length) this.board.hint(found.lines[0].move);
  }

  /** Put a line on the board, to be stepped through. */
  async follow(names) {
    this.moves = [...this.moves.slice(0, this.at), ...names.map((name) => ({ name }))];
    await this.number();
    await this.go(this.at + 1);
  }

  async review() {
    this.stop();
    this.summary.textContent = "Looking at every move …";
    const all = { ...this.asked(), moves: this.moves.map((move) => move.name) };
    const found = await socket.answer(
      { do: "review", ...all },
      (said) => (
        this.summary.textContent = said.compiling ? "The rules are being compiled, once …" : `${said.done} of ${said.of} positions`
      )
    );
    for (const verdict of found.moves) Object.assign(this.moves[verdict.ply], verdict);
    this.summary.textContent = found.summary;
    await this.go(this.at);
  }

  async explain() {
    put(this.reasons, h("span", { className: "soft" }, "Thinking …"));
    const played = this.moves[this.at]?.name;
    const found = await socket.answer({ do: "reasons", ...this.asked({ move: played ?? "" }) });
    put(this.reasons, found.paragraphs.map((each) => h("p", {}, each)));
  }

  key(event) {
    if (event.target.closest("input, textarea, select, .cell")) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) careful(() => this.go(this.at + step))();
  }
}
