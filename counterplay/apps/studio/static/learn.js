// The view Learn: let a game teach itself and look on; and matches between players.
import { careful, get, socket } from "./api.js";
import { curves } from "./charts.js";
import { card, h, put } from "./dom.js";
import { playerWords, seatChoice } from "./seats.js";

export const title = "Learn";

const AGAINST = { random: "random moves", estimate: "the hand-made estimate", earlier: "itself before" };
const COLOURS = ["--accent", "--warm", "--good"];

export async function open(main, { game, address }) {
  if (game.hidden) {
    put(
      main,
      h(
        "p",
        { className: "card" },
        `${game.title} has something hidden: it is solved, not learned. `,
        h("code", {}, `counterplay equilibrium ${game.name}`),
        " does it."
      )
    );
    return undefined;
  }
  const recipes = await get("api/recipes");
  const training = new Training(game, recipes, address), match = new Match(game);
  put(main, h("div", { className: "layout wide" }, training.element, match.element));
  return () => {
    training.stop();
    match.stop();
  };
}

/** A button that starts something and stops it. */
function startStop(words, start, stop) {
  const button = h(
    "button",
    { type: "button", className: "main", onclick: careful(() => (button.dataset.on ? stop() : start())) },
    words
  );
  return {
    button,
    set: (on) => {
      button.textContent = on ? "Stop" : words;
      if (on) button.dataset.on = "1";
      else delete button.dataset.on;
    },
  };
}

class Training {
  constructor(game, recipes, address) {
    Object.assign(this, { game, recipes, stop: () => {} });
    this.recipe = h(
      "select",
      {},
      h("option", { value: "" }, "What suits the game"),
      recipes.map((each) => h("option", { value: each.name }, `${each.name}: ${each.about}`))
    );
    this.seconds = h("input", { type: "number", min: 5, max: 3600, value: 30 });
    this.status = h(
      "p",
      { role: "status", "aria-live": "polite", className: "status" },
      "A model learns from games against itself."
    );
    this.chart = h("div");
    this.legend = h("p", { className: "line" });
    this.play = h(
      "p",
      { hidden: true },
      h("a", { href: address("play", game.name) }, "Play against it"),
      ": New game, “The model trained here”. It is written as it grows."
    );
    this.control = startStop("Train", () => this.start(), () => this.end("Stopped; what was learned is kept."));
    this.element = card(
      "Let it learn",
      h(
        "div",
        { className: "fields" },
        h("label", {}, "Recipe", this.recipe),
        h("label", {}, "Seconds, about", this.seconds)
      ),
      h("div", { className: "foot" }, this.control.button),
      this.status,
      this.chart,
      this.legend,
      this.play
    );
  }

  start() {
    this.control.set(true);
    this.status.textContent = "The rules are being compiled for learning …";
    this.stop = socket.ask({ do: "train", game: this.game.name, recipe: this.recipe.value, seconds: Number(this.seconds.value) }, {
      progress: (said) => this.show(said), done: (said) => {
        this.show(said);
        this.end(`Done: ${said.games.toLocaleString("en")} games.`);
      }, failed: (why) => this.end(why),
    });
  }

  end(words) {
    this.stop();
    this.stop = () => {};
    this.control.set(false);
    this.status.textContent = words;
  }

  show(said) {
    if (said.compiling) return;
    this.status.textContent = `${said.recipe}: ${said.games.toLocaleString("en")} of ${said.of.toLocaleString("en")} games, ${Math.round(said.games / Math.max(said.seconds, 0.001)).toLocaleString("en")} a second`;
    const named = {};
    for (const point of said.curve) for (
      const [name, share] of Object.entries(point.shares)
    ) (named[name] ??= []).push([point.games, 100 * share]);
    put(
      this.chart,
      said.curve.length ? curves(named, "Share of the points, in percent, over the games learned from") : null
    );
    put(this.legend, Object.keys(named).flatMap((name, i) => {
      const swatch = h("span", { className: "swatch" });
      swatch.style.background = `var(${COLOURS[i % COLOURS.length]})`;
      return [swatch, `${AGAINST[name] ?? name} ${named[name].at(-1)[1].toFixed(0)}%  `];
    }));
    this.play.hidden = !said.curve.length;
    if (said.curve.length) this.game.trained = true;
  }
}

class Match {
  constructor(game) {
    Object.assign(this, { game, stop: () => {}, seats: [] });
    this.list = h("div");
    this.games = h("input", { type: "number", min: 2, max: 200, value: 10 });
    this.seconds = h("input", { type: "number", min: 0.01, max: 5, step: 0.01, value: 0.05 });
    this.status = h("p", { role: "status", "aria-live": "polite" });
    this.table = h("table");
    this.control = startStop("Begin", () => this.start(), () => this.end("Stopped."));
    this.element = card("Compare players", h("div", { className: "fields" }, this.list,
      h("div", { className: "row" }, h("label", {}, "Games of each two", this.games), h("label", {}, "Seconds a move", this.seconds))),
      h("div", { className: "foot" }, this.control.button, h("button", { type: "button", onclick: () => this.add("level:3") }, "Another player")), this.status, this.table);
    this.add("level:5");
    this.add("random");
  }

  add(chosen) {
    if (this.seats.length >= 8) return;
    const seat = seatChoice(this.game, `Player ${this.seats.length + 1}`, chosen);
    this.seats.push(seat);
    this.list.append(seat.element);
  }

  start() {
    this.control.set(true);
    this.status.textContent = "The first game …";
    this.stop = socket.ask({ do: "match", game: this.game.name, players: this.seats.map((each) => each.value()), games: Number(this.games.value), seconds: Number(this.seconds.value) }, {
      progress: (said) => this.show(said), done: (said) => {
        this.show(said);
        this.end(`${said.games} games. ${said.no_elo ? `No Elo: ${said.no_elo}.` : ""}`);
      }, failed: (why) => this.end(why),
    });
  }

  end(words) {
    this.stop();
    this.stop = () => {};
    this.control.set(false);
    this.status.textContent = words;
  }

  show(said) {
    if (said.compiling) {
      this.status.textContent = "The rules are being compiled, once …";
      return;
    }
    this.status.textContent = `${said.games} of ${said.wanted} games`;
    put(this.table, h("thead", {}, h("tr", {}, ["Player", "Points", "Games", "Elo"].map((words) => h("th", {}, words)))),
      h("tbody", {}, said.standings.map((row) => h("tr", {}, h("td", {}, playerWords(row.player)), h("td", {}, String(row.points)), h("td", {}, String(row.games)), h("td", {}, row.elo === null ? "" : `${row.elo > 0 ? "+" : ""}${Math.round(row.elo)}`)))));
  }
}
