"""A page to follow a search step by step, as a lecture does at the board: one HTML file that needs nothing else.

What comes later is not seen, unless it is asked for. Beside the tree is the board of the state that the search is at,
if the game has one.
"""

from __future__ import annotations

import json
from html import escape
from math import inf
from typing import Any

from counterplay.core.game import Position
from counterplay.study.trees.draw import MOST_DRAWN, arrange, number, svg
from counterplay.study.trees.record import Trace

__all__ = ["page"]


def page(trace: Trace, most: int = MOST_DRAWN) -> str:
    """The search as a page with buttons to go forward and back, and one to let it run."""
    drawn = {node.visit.number for node in arrange(trace, most).all() if node.visit is not None}
    steps = [
        {
            "visit": step.visit,
            "event": step.event,
            "alpha": number(step.alpha),
            "beta": number(step.beta),
            "v": "" if step.v is None else number(step.v),
            "text": step.text,
            "path": _path(trace, step.visit),
        }
        for step in trace.steps
        if step.visit in drawn
    ]
    boards = _boards(trace, drawn)
    title = f"{trace.algorithm} on {trace.game}"
    has_window = any(visit.alpha > -inf or visit.beta < inf for visit in trace.visits)
    return _PAGE.format(
        title=escape(title),
        svg=svg(trace, most),
        steps=_for_script(steps),
        boards=_for_script(boards),
        board="" if boards else " hidden",
        window="" if has_window else " hidden",
    )


def _boards(trace: Trace, drawn: set[int]) -> dict[int, str]:
    """The pictures of the states in the tree, with the last move marked; none if the game has no board."""
    game = trace.game
    if game.board(trace.root.state) is None and game.svg(trace.root.state) is None:
        return {}
    before = {child.number: visit.state for visit in trace.visits for child in visit.children}
    found = {}
    for n in drawn:
        here = Position(game, trace.visits[n].state)
        here.history = (before[n],) if n in before else ()
        found[n] = here._repr_svg_()
    return found


def _for_script(data: Any) -> str:
    """JSON to stand inside a <script>, whose end and comments a browser looks for in strings as well."""
    text = json.dumps(data)  # only ASCII, so that no strange end of a line is in it either
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("&", r"\u0026")


def _path(trace: Trace, to: int) -> str:
    """The moves that lead to a state, for people."""
    parents = {child.number: visit for visit in trace.visits for child in visit.children}
    names: list[str] = []
    while to in parents:
        names.append(trace.visits[to].name)
        to = parents[to].number
    return " ".join(reversed(names)) or "the root"


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
  :root {{ color-scheme: light; }}
  body {{ margin: 0; font: 16px/1.45 system-ui, sans-serif; color: #1c2430; background: #f6f7f9; }}
  main {{ max-width: 1500px; margin: 0 auto; padding: 16px; }}
  h1 {{ font-size: 1.25rem; margin: 0 0 12px; overflow-wrap: anywhere; }}
  .views {{ display: flex; flex-wrap: wrap; gap: 12px; align-items: flex-start; }}
  .tree, .board {{ background: #fff; border: 1px solid #d8dde3; border-radius: 8px; }}
  .tree {{ flex: 1 1 420px; min-width: 0; overflow: auto; max-height: 66vh; }}
  .tree svg {{ display: block; margin: 0 auto; filter: none; }}
  .board .counterplay-paper {{ fill: none; }}
  .board .counterplay-ink {{ fill: #1c2430; }}
  .board {{ flex: 0 1 320px; padding: 8px; box-sizing: border-box; }}
  .board svg {{ display: block; width: 100%; height: auto; max-height: 60vh; }}
  [hidden] {{ display: none !important; }}
  .bar {{ display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 12px 0; }}
  button {{ font: inherit; padding: 8px 14px; border: 1px solid #b9c1ca; border-radius: 6px; background: #fff; }}
  button:hover {{ background: #eef3f8; }}
  input[type=range] {{ flex: 1 1 160px; min-width: 120px; }}
  .now {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(92px, 1fr)); gap: 8px; }}
  .now div {{ background: #fff; border: 1px solid #d8dde3; border-radius: 8px; padding: 6px 10px; }}
  .now b {{ display: block; font-size: 1.15rem; font-variant-numeric: tabular-nums; }}
  .now small {{ color: #5b6570; }}
  #text {{ min-height: 1.5em; font-weight: 600; margin: 12px 0; }}
  .soon {{ visibility: hidden; }}
  .all .soon {{ visibility: visible; opacity: 0.13; }}
  .open .v, .all .soon:not(.leaf) .v, .all .soon .w, .all .soon .r, .all [data-skips].soon {{ visibility: hidden; }}
  .running [stroke="#1f6fb2"] {{ stroke: #1c2430; stroke-width: 1.2; }}
  .here > :first-child {{ stroke: #e08a00; stroke-width: 4; }}
  kbd {{ border: 1px solid #b9c1ca; border-radius: 4px; padding: 0 5px; background: #fff; }}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
<div class="views">
<div class="tree" id="tree">{svg}</div>
<div class="board" id="board"{board}></div>
</div>
<div class="bar">
  <button id="first" title="to the beginning">|&lt;</button>
  <button id="back">back</button>
  <button id="forward">forward</button>
  <button id="play">play</button>
  <input id="at" type="range" min="0" value="0" aria-label="step">
  <span id="count"></span>
  <button id="smaller" title="smaller" aria-label="smaller">−</button>
  <button id="larger" title="larger" aria-label="larger">+</button>
  <button id="fit" title="as large as there is room">fit</button>
  <label><input id="future" type="checkbox"> show what comes</label>
</div>
<p id="text" aria-live="polite"></p>
<div class="now">
  <div><small>at</small><b id="path"></b></div>
  <div{window}><small>α, MAX has</small><b id="alpha"></b></div>
  <div{window}><small>β, MIN has</small><b id="beta"></b></div>
  <div><small>v, here so far</small><b id="v"></b></div>
</div>
<p><small>Keys: <kbd>→</kbd> forward, <kbd>←</kbd> back, <kbd>space</kbd> play and pause,
<kbd>+</kbd> <kbd>−</kbd> <kbd>0</kbd> larger, smaller, fit. Triangles up are MAX,
triangles down MIN, circles chance. Crossed out: never looked at.</small></p>
</main>
<script>
const steps = {steps};
const boards = {boards};
const get = (id) => document.getElementById(id);
const nodes = new Map([...document.querySelectorAll("[data-visit]")].map((g) => [+g.dataset.visit, g]));
const leads = [...document.querySelectorAll("[data-leads]")];
const skips = [...document.querySelectorAll("[data-skips]")];
const picture = document.querySelector("#tree svg"), size = picture.viewBox.baseVal;
let at = 0, timer = null, scale = 1;
get("at").max = steps.length - 1;

function zoom(to) {{
  scale = Math.max(0.1, Math.min(4, to));
  picture.setAttribute("width", size.width * scale);
  picture.setAttribute("height", size.height * scale);
}}
function fit(least = 0) {{
  const room = get("tree");
  zoom(Math.max(least, Math.min((room.clientWidth - 2) / size.width, (innerHeight * 0.66 - 2) / size.height, 1.6)));
}}
function show(k) {{
  at = Math.max(0, Math.min(steps.length - 1, k));
  const entered = new Set(), left = new Set(), cut = new Set();
  for (const step of steps.slice(0, at + 1)) {{
    if (step.event === "enter") {{ entered.add(step.visit); left.delete(step.visit); }}
    if (step.event === "leave") left.add(step.visit);
    if (step.event === "cut" || step.event === "leave") cut.add(step.visit);
  }}
  const now = steps[at];
  for (const [number, g] of nodes) {{
    g.classList.toggle("soon", !entered.has(number));
    g.classList.toggle("open", entered.has(number) && !left.has(number));
    g.classList.toggle("here", number === now.visit);
  }}
  for (const g of leads) g.classList.toggle("soon", !entered.has(+g.dataset.leads));
  for (const g of skips) g.classList.toggle("soon", !cut.has(+g.dataset.skips));
  for (const id of ["path", "alpha", "beta", "v", "text"]) get(id).textContent = now[id];
  get("tree").classList.toggle("running", at < steps.length - 1);  // which line is best is known at the end
  get("board").innerHTML = boards[now.visit] || "";
  get("at").value = at;
  get("count").textContent = `${{at + 1}} of ${{steps.length}}`;
  const here = nodes.get(now.visit);
  if (here) here.scrollIntoView({{ block: "nearest", inline: "center" }});
}}
function play() {{
  if (timer) {{ clearInterval(timer); timer = null; }}
  else {{
    if (at === steps.length - 1) show(0);
    timer = setInterval(() => {{ if (at === steps.length - 1) play(); else show(at + 1); }}, 700);
  }}
  get("play").textContent = timer ? "pause" : "play";
}}
get("first").onclick = () => show(0);
get("back").onclick = () => show(at - 1);
get("forward").onclick = () => show(at + 1);
get("play").onclick = play;
get("smaller").onclick = () => zoom(scale / 1.25);
get("larger").onclick = () => zoom(scale * 1.25);
get("fit").onclick = () => fit();
get("future").onchange = (event) => get("tree").classList.toggle("all", event.target.checked);
get("at").oninput = (event) => show(+event.target.value);
addEventListener("keydown", (event) => {{
  if (event.key === "ArrowRight") show(at + 1);
  else if (event.key === "ArrowLeft") show(at - 1);
  else if (event.key === "+") zoom(scale * 1.25);
  else if (event.key === "-") zoom(scale / 1.25);
  else if (event.key === "0") fit();
  else if (event.key === " " && event.target.tagName !== "BUTTON") {{ event.preventDefault(); play(); }}
}});
fit(0.8);  // smaller could not be read
show(0);
</script>
</body>
</html>
"""
