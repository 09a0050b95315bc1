// The router: which view is shown, of which game. A view is a module with `title` and `open(main, context)`, which may
// return a function to be called when it is left. To add one, add it to VIEWS.
import { get, socket } from "./api.js";
import { h, put, say } from "./dom.js";
import * as play from "./play.js";
import * as analyse from "./analyse.js";
import * as watch from "./watch.js";
import * as quiz from "./quiz.js";
import * as learn from "./learn.js";

const VIEWS = { play, analyse, watch, quiz, learn };
const main = document.getElementById("main");
const chooser = document.getElementById("game");
const views = document.getElementById("views");
let leave = () => {};
let games = [];

/** `#play/connect_four/ID`: the view, the game, and what else the view keeps in the address. */
function place() {
  const [view, game, ...rest] = location.hash.slice(1).split("/").map(decodeURIComponent);
  return { view: VIEWS[view] ? view : "play", game, rest: rest.join("/") };
}

export const address = (...parts) => `#${parts.map(encodeURIComponent).join("/")}`;

async function show() {
  const { view, game: wanted, rest } = place();
  const game = games.find((each) => each.name === wanted) ?? games.find((each) => each.own) ?? games.find(
    (each) => each.name === "connect_four"
  ) ?? games[0];
  leave();
  leave = () => {};
  socket.watch(null);
  chooser.value = game.name;
  put(views, Object.entries(VIEWS).map(([name, { title }]) =>
    h("a", { href: address(name, game.name), "aria-current": name === view ? "page" : null }, title)));
  document.title = `${game.title}: ${VIEWS[view].title} · Counterplay Studio`;
  put(main);
  try {
    leave = (await VIEWS[view].open(main, { game, games, rest, address })) ?? (() => {});
  } catch (error) {
    put(main, h("p", { className: "error" }, error.message));
  }
}

async function begin() {
  games = await get("api/games");
  put(chooser, games.map((each) => h("option", { value: each.name }, each.title)));
  chooser.addEventListener("change", () => (location.hash = address(place().view, chooser.value)));
  addEventListener("hashchange", show);
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  await show();
}

begin().catch((error) => say(error.message));
