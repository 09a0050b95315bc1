// Small charts: the value over a game, and curves of a training.
import { svg } from "./dom.js";

const W = 380, H = 120, LEFT = 34, TOP = 8, BOTTOM = 18;

/** The first player's chances after every move, with the marked moves as dots. `pick(ply)` hears clicks. */
export function valueChart(moves, pick) {
  const known = moves.map((move, i) => ({ ...move, x: i + 1 })).filter((move) => typeof move.chance === "number");
  const width = W - LEFT - 6, height = H - TOP - BOTTOM, n = Math.max(moves.length, 1);
  const x = (ply) => LEFT + (width * ply) / n, y = (chance) => TOP + height * (1 - chance);
  const points = known.map((move) => `${x(move.x).toFixed(1)},${y(move.chance).toFixed(1)}`);
  const chart = svg("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": "The first player's chances move by move" },
    svg("line", { class: "middle", x1: LEFT, x2: W - 6, y1: y(0.5), y2: y(0.5) }),
    ["100%", "50%", "0%"].map((label, i) => svg("text", { x: 0, y: y(1 - i / 2) + 4 }, label)));
  if (points.length) {
    chart.append(svg("polygon", { class: "area", points: `${x(known[0].x)},${y(0.5)} ${points.join(" ")} ${x(known.at(-1).x)},${y(0.5)}` }),
      svg("polyline", { class: "curve", points: points.join(" ") }));
  }
  for (const move of known.filter((each) => each.mark)) {
    chart.append(svg(
      "circle",
      { class: "bad", cx: x(move.x), cy: y(move.chance), r: 4.5 },
      svg("title", {}, `${move.name}${move.mark}`)
    ));
  }
  if (pick) chart.addEventListener("click", (event) => {
    const box = chart.getBoundingClientRect();
    pick(Math.min(n, Math.max(0, Math.round((((event.clientX - box.left) / box.width) * W - LEFT) / width * n))));
  });
  return chart;
}

/** Curves with names, `[[x, y], ...]` each. */
export function curves(named, title) {
  const all = Object.values(named).flat();
  const xs = all.map(([x]) => x), ys = all.map(([, y]) => y);
  const low = Math.min(...ys, 0), high = Math.max(...ys, low + 1e-9), end = Math.max(...xs, 1), begin = Math.min(...xs, end);
  const x = (v) => LEFT + ((W - LEFT - 6) * (v - begin)) / (end - begin || 1), y = (v) => TOP + (H - TOP - BOTTOM) * (1 - (v - low) / (high - low));
  const colours = ["var(--accent)", "var(--warm)", "var(--good)", "var(--soft)"];
  return svg("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": title },
    [low, high].map((v) => svg("text", { x: 0, y: y(v) + 4 }, v.toPrecision(3))),
    svg("text", { x: W - 6, y: H - 4, "text-anchor": "end" }, end.toLocaleString("en")),
    Object.values(named).map((points, i) => svg("polyline", { points: points.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" "), fill: "none", stroke: colours[i % colours.length], "stroke-width": 2 })));
}
