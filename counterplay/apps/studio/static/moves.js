// The list of the moves of a game, with numbers where two play in turn, and verdicts beside them.
import { h, put } from "./dom.js";

/** Fill a box with moves; `pick(ply)` hears which one was chosen, `why(ply)` that a verdict was. */
export function moveList(box, moves, { at = moves.length, pick, why }) {
  const inTurn = moves.every((move) => move.seat === 0 || move.seat === 1);
  let count = 0;
  const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
  put(box, moves.map((move, ply) => h("span", {},
    inTurn && (move.seat === 0 || ply === 0) ? h("span", { className: "number" }, `${++count}.`) : null,
    h(
      "button",
      { type: "button", "aria-current": at === ply + 1 ? "step" : null, onclick: () => pick?.(ply + 1) },
      `${move.seat < 0 ? "⚄ " : ""}${move.name}${move.mark ?? ""}`
    ),
    move.mark ? h("button", { type: "button", className: "chip", title: "Why?", onclick: () => why?.(ply) }, move.best ? `${move.verdict}: ${move.best}` : move.verdict) : null)));
  if (!moves.length) put(box, h("span", { className: "soft" }, "No moves yet."));
  if (atEnd && at === moves.length) box.scrollTop = box.scrollHeight;
}
