// Who sits where: the dialog for a new game, and the words for a player.
import { h } from "./dom.js";

/** What a player's text means to people: `level:5` is level 5. */
export function playerWords(text) {
  const [kind, rest = ""] = [text.split(":")[0], text.slice(text.indexOf(":") + 1)];
  if (text === "human") return "you";
  if (kind === "level") return `level ${rest}`;
  if (text === "random") return "random moves";
  if (text === "equilibrium") return "an equilibrium";
  return rest.includes("model=") ? "the learned model" : kind;
}

function choices(game) {
  const found = [["human", "A person"]];
  for (let level = 1; level <= game.levels; level++) found.push([`level:${level}`, `Level ${level}`]);
  if (game.hidden) found.push(["equilibrium", "An equilibrium"]);
  for (const name of game.searches) found.push([`search:${name}`, `Search: ${name}`]);
  if (game.model) found.push(["model:shipped", "The learned model"]);
  if (game.trained) found.push(["model:trained", "The model trained here"]);
  for (const engine of game.engines) found.push([`engine:${engine}`, engine]);
  return [...found, ["random", "Random moves"]];
}

function described(value, limit, amount) {
  const [kind, rest] = [value.split(":")[0], value.slice(value.indexOf(":") + 1)];
  if (kind === "level") return { kind, level: Number(rest) };
  if (kind === "search") return { kind, search: rest, [limit]: Number(amount) };
  if (kind === "model") return { kind, model: rest, [limit]: Number(amount) };
  if (kind === "engine") return { kind, engine: rest };
  return { kind };
}

/** A choice of player for one seat; `value()` describes it for the server. */
export function seatChoice(game, label, chosen) {
  const select = h(
    "select",
    {},
    choices(game).map(([value, words]) => h("option", { value, selected: value === chosen }, words))
  );
  const limit = h(
    "select",
    { "aria-label": "Limit" },
    ["seconds", "depth", "nodes", "simulations"].map((each) => h("option", { value: each }, each))
  );
  const amount = h("input", { type: "number", min: 0.1, step: "any", value: 1, "aria-label": "How much" });
  const more = h("div", { className: "row" }, limit, amount);
  const update = () => (more.hidden = !/^(search|model)/.test(select.value));
  select.addEventListener("change", update);
  update();
  return {
    element: h("div", {}, h("label", {}, label, select), more),
    value: () => described(select.value, limit.value, amount.value),
  };
}

/** Ask for a new game; `begin(asked)` is called with what the server wants to know. */
export function newGameDialog(game, begin) {
  const usual = game.hidden ? "equilibrium" : "level:5";
  const seats = game.players.map((name, i) => seatChoice(game, name, i === 0 ? "human" : usual));
  const clock = h("input", { placeholder: "none; 300+2 is five minutes and two seconds a move" });
  const position = h("input", { placeholder: "the start", className: "line" });
  const dialog = h("dialog", { "aria-label": "New game" },
    h("form", { method: "dialog", onsubmit: () => begin({ game: game.name, seats: seats.map((each) => each.value()), clock: clock.value.trim(), position: position.value.trim() }) },
      h("h2", {}, `New game of ${game.title}`),
      seats.map((each) => each.element),
      h("label", {}, "Clock", clock),
      game.hidden ? null : h("label", {}, "Position", position),
      h("div", { className: "foot" }, h("button", { className: "main", type: "submit" }, "Begin"), h("button", { type: "button", onclick: () => dialog.close() }, "Not now"))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** Ask who takes a seat over. */
export function takeOverDialog(game, names, take) {
  const seat = h("select", {}, names.map((name, i) => h("option", { value: i }, name)));
  const choice = seatChoice(game, "is now played by", "human");
  const dialog = h("dialog", { "aria-label": "Take over" },
    h("form", { method: "dialog", onsubmit: () => take(Number(seat.value), choice.value()) },
      h("h2", {}, "Who plays from here on?"), h("label", {}, "Seat", seat), choice.element,
      h("div", { className: "foot" }, h("button", { className: "main", type: "submit" }, "Change"), h("button", { type: "button", onclick: () => dialog.close() }, "Not now"))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
