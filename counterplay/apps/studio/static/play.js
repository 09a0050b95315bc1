// The view Play: a game against whom you like.
import { careful, get, post, socket, text } from "./api.js";
import { Bar, Board } from "./board.js";
import { valueChart } from "./charts.js";
import { card, download, h, put } from "./dom.js";
import { moveList } from "./moves.js";
import { newGameDialog, playerWords, takeOverDialog } from "./seats.js";

export const title = "Play";

const ARROWS = ["ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft"];
const remembered = (game) => `table of ${game}`;
/** All of a table that the board shows, to compare. */
const position = (state) => JSON.stringify(
  { ...state, version: 0, left: 0, moves: state.moves.map((move) => move.name) }
);

export async function open(main, { game, rest, address }) {
  const id = rest || sessionStorage.getItem(remembered(game.name));
  let state = id ? await get(`api/tables/${encodeURIComponent(id)}`).catch(() => null) : null;
  if (!state || state.game !== game.name) state = await post(
    "api/tables",
    { game: game.name, seats: usualSeats(game) }
  );
  const view = new Play(game, address);
  put(main, view.element);
  view.show(state);
  view.sit(state.id);
  view.listOpen();
  const keys = (event) => view.key(event);
  addEventListener("keydown", keys);
  return () => {
    removeEventListener("keydown", keys);
    view.leave();
  };
}

const usualSeats = (game) => game.players.map(
  (_, i) => (i === 0 ? { kind: "human" } : game.hidden ? { kind: "equilibrium" } : { kind: "level", level: 5 })
);

class Play {
  constructor(game, address) {
    Object.assign(this, { game, address, state: null, at: null, ticking: null });
    this.board = new Board(careful((name) => this.play(name)));
    this.bar = new Bar();
    const button = (words, work, more = {}) => h("button", { type: "button", onclick: careful(work), ...more }, words);
    this.undo = button("Undo", () => this.act("undo"));
    this.hint = button("Hint", () => this.advise());
    this.resign = button("Resign", () => this.act("resign"));
    this.take = button(
      "Take over",
      () => takeOverDialog(game, this.state.names, careful((seat, player) => this.act("seat", { seat, player })))
    );
    this.save = button(
      "Save",
      async () => download(`${game.name.replace(/\W+/g, "-")}.json`, await text(this.path("text")))
    );
    this.file = h(
      "input",
      { type: "file", accept: ".json,application/json", hidden: true, onchange: careful(() => this.load()) }
    );
    this.loading = button("Load", () => this.file.click());
    this.new = button(
      "New game",
      () => newGameDialog(game, careful((asked) => this.begin(asked))),
      { className: "main" }
    );
    this.status = h("p", { role: "status", "aria-live": "polite", className: "status" });
    this.who = h("h2");
    this.clocks = h("div", { className: "clocks" });
    this.moves = h("div", { className: "moves" });
    this.chart = h("div");
    this.chartCard = card("Chance to win", this.chart);
    this.why = h("div");
    this.whyCard = card("Why?", this.why);
    this.whyCard.hidden = true;
    this.open = h("div", { className: "named" });
    this.openCard = card("Open games", this.open);
    this.element = h("div", { className: "layout" },
      h("section", { className: "card", "aria-label": "Board" }, this.board.element,
        h("div", { className: "foot" }, this.undo, this.hint, this.resign, this.take, this.save, this.loading, this.file, h("span", { className: "space" }), this.new)),
      this.bar.element,
      h("div", { className: "side" },
        h("section", { className: "card" }, this.who, this.status, this.clocks),
        card("Game", this.moves), this.whyCard, this.chartCard, this.openCard));
  }

  path(what) {
    return `api/tables/${encodeURIComponent(this.state.id)}/${what}`;
  }

  sit(id) {
    sessionStorage.setItem(remembered(this.game.name), id);
    this.heard = null;
    socket.watch(id, (state) => {
      if (this.isPlaying) this.heard = state; // what it says of the moves may be older than the one just made
      else if (state.id === this.state.id) this.update(state);
    });
  }

  leave() {
    clearInterval(this.ticking);
    socket.watch(null);
  }

  async play(name) {
    this.isPlaying = true;
    try {
      this.update(await post(this.path("play"), { move: name }));
    } catch (error) {
      this.show(await get(`api/tables/${encodeURIComponent(this.state.id)}`));
      throw error;
    } finally {
      this.isPlaying = false;
      const later = this.heard;
      this.heard = null;
      if (later?.id === this.state.id) this.update(later);
    }
  }

  async act(what, more = {}) {
    this.update(await post(this.path(what), more));
  }

  async begin(asked) {
    this.state = await post("api/tables", asked);
    this.at = null;
    this.whyCard.hidden = true;
    this.show(this.state);
    this.sit(this.state.id);
    this.listOpen();
  }

  async load() {
    const [file] = this.file.files;
    if (!file) return;
    if (file.size > 400_000) throw new Error("that is too large to be a saved game");
    const state = await post("api/load", { text: await file.text(), game: this.game.name });
    this.file.value = "";
    location.hash = this.address("play", state.game, state.id);
  }

  /** Show what the server says, if it is news. Of verdicts alone the board hears nothing: a hint, a move that is half
      made or an earlier position that somebody looks at stays as it is. */
  update(state) {
    if (state.id === this.state.id && state.version <= this.state.version) return;
    if (position(state) !== position(this.state)) return this.show(state);
    this.state = state;
    this.showMoves();
    this.showValues();
  }

  show(state) {
    this.state = state;
    this.at = null;
    const over = Boolean(state.ending);
    this.board.show(state.picture, state.legal);
    const seats = state.names.map((name, i) => `${name}: ${playerWords(state.players[i])}`);
    this.who.textContent = seats.join(" · ");
    this.status.textContent = this.words(state);
    this.status.classList.toggle("error", Boolean(state.note) && !state.thinking);
    this.undo.disabled = !state.can_undo;
    this.hint.disabled = over || state.hidden || state.turn !== "human";
    this.resign.disabled = over || !state.people.length;
    this.take.disabled = over;
    this.element.dataset.turn = state.turn;
    this.element.dataset.moves = state.moves.length;
    this.showMoves();
    this.showValues();
    this.tick();
  }

  showValues() {
    const { moves, names, hidden } = this.state;
    this.chartCard.hidden = hidden || names.length !== 2;
    put(this.chart, valueChart(moves, (ply) => careful(() => this.look(ply))()));
    this.bar.show(names.length === 2 ? moves.findLast((move) => typeof move.chance === "number")?.chance : undefined);
  }

  words(state) {
    if (state.ending) return `The game is over: ${state.ending}.`;
    if (state.note) return state.note;
    if (state.turn === "human") return state.people.length > 1 ? `${state.whose} is to move.` : "Your move.";
    return `${state.whose} is thinking …`;
  }

  showMoves() {
    moveList(this.moves, this.state.moves, {
      at: this.at ?? this.state.moves.length,
      pick: careful((ply) => this.look(ply)),
      why: careful((ply) => this.explain(ply)),
    });
  }

  /** Look at an earlier position; the last one is the game itself. */
  async look(ply) {
    if (ply >= this.state.moves.length) return this.show(this.state);
    this.at = Math.max(0, ply);
    const id = this.state.id;
    const picture = await get(this.path(`at/${this.at}`));
    if (id !== this.state.id || this.at === null) return undefined;
    this.board.show(picture, []);
    this.status.textContent = `After ${this.at} of ${this.state.moves.length} moves.`;
    return this.showMoves();
  }

  async advise() {
    this.status.textContent = "Looking for a good move …";
    const asked = position(this.state);
    const found = await socket.answer(
      { do: "hint", table: this.state.id },
      (said) => said.compiling && (this.status.textContent = "The rules are being compiled, once …")
    );
    if (position(this.state) !== asked) return;
    this.status.textContent = `${found.move}: ${found.worth}.`;
    this.board.hint(found.move);
  }

  async explain(ply) {
    this.whyCard.hidden = false;
    const move = this.state.moves[ply];
    this.whyCard.querySelector("h2").textContent = `Why not ${move.name}?`;
    put(this.why, h("p", { className: "soft" }, move.better ? `${move.verdict}; ${move.better}.` : "Thinking …"));
    const found = await socket.answer({ do: "why", table: this.state.id, ply });
    put(this.why, found.paragraphs.map((each) => h("p", {}, each)));
  }

  /** Clocks run here too, between what the server says. */
  tick() {
    clearInterval(this.ticking);
    const { left, seat, names, ending } = this.state, since = performance.now();
    this.clocks.hidden = left.every((each) => each === null);
    if (this.clocks.hidden) return;
    const draw = () => {
      const now = left.map(
        (each, i) => Math.max(0, each - (i === seat && !ending ? (performance.now() - since) / 1000 : 0))
      );
      put(
        this.clocks,
        names.map((name, i) => h(
          "span",
          { className: i === seat ? "on" : "" },
          `${name} ${Math.floor(now[i] / 60)}:${String(Math.floor(now[i] % 60)).padStart(2, "0")}`
        ))
      );
      if (!ending && now[seat] === 0) {
        clearInterval(this.ticking);
        careful(async () => this.update(await get(`api/tables/${this.state.id}`)))();
      }
    };
    draw();
    if (!ending) this.ticking = setInterval(draw, 250);
  }

  async listOpen() {
    const games = (await get("api/tables")).filter((each) => each.id !== this.state.id);
    this.openCard.hidden = !games.length;
    put(
      this.open,
      games.slice(0, 12).map((each) => h(
        "a",
        { href: this.address("play", each.name, each.id) },
        `${each.name}, ${each.moves} ${each.moves === 1 ? "move" : "moves"}`
      ))
    );
  }

  key(event) {
    if (
      event.target.closest("input, textarea, select, dialog, .cell") || event.ctrlKey || event.metaKey || event.altKey
    ) return;
    const arrow = ARROWS.indexOf(event.key), name = this.game.arrows[arrow];
    if (name && this.board.legal.some((move) => move.name === name)) {
      event.preventDefault();
      this.board.choose(name);
    } else if (!this.game.arrows.length && (event.key === "ArrowLeft" || event.key === "ArrowRight") && !this.state.hidden) {
      event.preventDefault();
      careful(() => this.look((this.at ?? this.state.moves.length) + (event.key === "ArrowLeft" ? -1 : 1)))();
    } else if (event.key === "u" && !this.undo.disabled) this.undo.click();
    else if (event.key === "h" && !this.hint.disabled) this.hint.click();
    else if (event.key === "n") this.new.click();
  }
}

