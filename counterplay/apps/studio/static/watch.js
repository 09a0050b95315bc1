// The view Watch: a search step by step, with the textbook's lines beside it; and an editor for trees.
import { careful, socket } from "./api.js";
import { card, download, h, put, say } from "./dom.js";
import { Editor } from "./editor.js";
import { drawTree, layOut } from "./tree.js";

export const title = "Watch";

const FIRST = "[[3, 12, 8], [2, 4, 6], [14, 5, 2]]";
const SEARCHES = {
  alphabeta: "Alpha-beta",
  minimax: "Minimax",
  star1: "Expectiminimax, Star1",
  star2: "Expectiminimax, Star2",
  mcts: "Monte Carlo tree search",
};
const EXAMPLES = {
  "The lectures' two-ply tree": FIRST,
  "Three plies": "[[[3, 17], [2, 12]], [[15], [25, 0]], [[2, 5], [3, 2, 14]]]",
  "Chance": "[chance[0.5 * 8, 0.5 * [2, 6]], chance[0.9 * 3, 0.1 * 10], 5]",
};

const leaf = "    if is_terminal(s): return utility(s)";
const CODE = {
  alphabeta: {
    max: [
      "def max_value(s, α, β):",
      leaf,
      "    v = −∞",
      "    for s′ in successors(s):",
      "        v = max(v, value(s′, α, β))",
      "        if v ≥ β: return v",
      "        α = max(α, v)",
      "    return v",
    ],
    min: [
      "def min_value(s, α, β):",
      leaf,
      "    v = +∞",
      "    for s′ in successors(s):",
      "        v = min(v, value(s′, α, β))",
      "        if v ≤ α: return v",
      "        β = min(β, v)",
      "    return v",
    ],
  },
  minimax: {
    max: [
      "def max_value(s):",
      leaf,
      "    v = −∞",
      "    for s′ in successors(s):",
      "        v = max(v, value(s′))",
      "    return v",
    ],
    min: [
      "def min_value(s):",
      leaf,
      "    v = +∞",
      "    for s′ in successors(s):",
      "        v = min(v, value(s′))",
      "    return v",
    ],
    chance: [
      "def exp_value(s):",
      leaf,
      "    v = 0",
      "    for s′, p in successors(s):",
      "        v = v + p · value(s′)",
      "    return v",
    ],
  },
  star: {
    chance: [
      "def exp_value(s, α, β):",
      leaf,
      "    v = 0",
      "    for s′, p in successors(s):",
      "        v = v + p · value(s′, ...)",
      "        if v + the most of the rest ≤ α: return",
      "        if v + the least of the rest ≥ β: return",
      "    return v",
    ],
  },
  mcts: [
    "repeat:",
    "    node = root",
    "    while node has all its children:",
    "        node = child with the best UCB1",
    "    node = a new child of node",
    "    z = play at random to the end",
    "    for every node on the way:",
    "        visits += 1; total += z",
  ],
};
const PHASES = ["select", "expand", "simulate", "back up"];
const PHASE_LINES = { select: 3, expand: 4, simulate: 5, "back up": 7 };
const shown = (x, otherwise) => (
  x === null || x === undefined ? otherwise : Number.isInteger(x) ? String(x) : x.toFixed(2)
);

export async function open(main, { game, rest, address }) {
  const view = new Watch(game, address);
  put(main, view.element);
  const [algorithm, ...tree] = rest.split("/");
  if (SEARCHES[algorithm]) view.algorithm.value = algorithm;
  if (tree.length) view.text.value = tree.join("/");
  else if (game.name !== "tree" && !game.hidden && rest === "game") view.source.value = "game";
  await careful(() => view.run())();
  const keys = (event) => view.key(event);
  addEventListener("keydown", keys);
  return () => {
    removeEventListener("keydown", keys);
    view.pause();
  };
}

class Watch {
  constructor(game, address) {
    Object.assign(this, { game, address, at: 0, playing: null, found: null, steps: [], asked: 0 });
    const button = (words, work, more = {}) => h("button", { type: "button", onclick: careful(work), ...more }, words);
    const select = (label, options, more = {}) => h(
      "select",
      { "aria-label": label, ...more },
      Object.entries(options).map(([value, words]) => h("option", { value }, words))
    );
    this.algorithm = select("Search", SEARCHES, { onchange: careful(() => this.run()) });
    this.source = select(
      "What is searched",
      {
        tree: "A written tree",
        ...(game.hidden || game.name === "tree" ? {} : { game: `${game.title}, from the start` })
      },
      { onchange: careful(() => this.run()) }
    );
    this.depth = h(
      "input",
      { type: "number", min: 1, max: 30, value: 2, "aria-label": "Plies ahead", onchange: careful(() => this.run()) }
    );
    this.simulations = h(
      "input",
      { type: "number", min: 1, max: 500, value: 40, "aria-label": "Simulations", onchange: careful(() => this.run()) }
    );
    this.text = h("textarea", { "aria-label": "The tree as text", value: FIRST, onchange: careful(() => this.run()) });
    this.examples = select(
      "Examples",
      { "": "Examples …", ...Object.fromEntries(Object.entries(EXAMPLES).map(([name, tree]) => [tree, name])) },
      {
        onchange: careful(() => {
          if (this.examples.value) this.text.value = this.examples.value;
          this.examples.value = "";
          return this.run();
        })
      }
    );
    this.slider = h(
      "input",
      { type: "range", min: 0, value: 0, "aria-label": "Step", oninput: () => this.go(Number(this.slider.value)) }
    );
    this.speed = select("Speed", { 1500: "slow", 700: "medium", 250: "fast", 60: "very fast" });
    this.speed.value = "700";
    this.play = button("Play", () => (this.playing ? this.pause() : this.start()), { className: "main" });
    this.tree = h("div", { className: "tree", tabIndex: 0, role: "region", "aria-label": "The tree" });
    this.heading = h("h2");
    this.words = h("p", { role: "status", "aria-live": "polite" });
    this.code = h("pre", { className: "code", tabIndex: 0, role: "region", "aria-label": "The textbook's lines" });
    this.stack = h("div", { className: "stack" });
    this.stackCard = card("Call stack", this.stack);
    this.editor = new Editor((text) => {
      this.text.value = text;
      careful(() => this.run(true))();
    });
    this.edit = button("Edit tree", () => this.toggleEditor(), { "aria-pressed": "false" });
    this.element = h("div", { className: "layout wide" },
      h("section", { className: "card" }, this.heading, this.tree, this.editor.element, this.words,
        h("div", { className: "foot" },
          button(
            "|◀",
            () => this.go(0),
            { "aria-label": "To the beginning" }
          ), button("◀ Back", () => this.go(this.at - 1)), this.play,
          button("Forward ▶", () => this.go(this.at + 1)), this.slider, this.speed),
        h("div", { className: "foot" }, this.edit, button("Share", () => this.share()), button("Export SVG", () => this.export()))),
      h("div", { className: "side" },
        card("The search", h("div", { className: "fields" },
          h("div", { className: "row" }, h("label", {}, "Search", this.algorithm), h("label", {}, "Of", this.source)),
          h(
            "div",
            { className: "row" },
            h("label", {}, "Plies, of a game", this.depth),
            h("label", {}, "Simulations, by MCTS", this.simulations)
          ),
          h("label", {}, "The tree", this.text), this.examples)),
        card("By the book", this.code), this.stackCard));
  }

  get isTree() {
    return this.source.value === "tree";
  }

  /** Searches anew. An answer that another question has overtaken is dropped; the editor keeps the tree it made. */
  async run(isEdited = false) {
    this.pause();
    const turn = ++this.asked;
    const algorithm = this.algorithm.value, isGrowing = algorithm === "mcts";
    const source = this.isTree ? { tree: this.text.value } : { game: this.game.name };
    this.words.textContent = "Searching …";
    const asked = isGrowing ? { do: "grow", simulations: Number(this.simulations.value) } : {
      do: "trace",
      algorithm,
      depth: this.isTree ? null : Number(this.depth.value),
    };
    let found;
    try {
      found = await socket.answer({ ...asked, ...source });
    } catch (error) {
      if (turn === this.asked) this.words.textContent = error.message;
      return;
    }
    if (turn !== this.asked) return;
    this.found = found;
    if (found.tree && !isEdited) this.editor.take(found.tree);
    if (this.isTree) history.replaceState(
      null,
      "",
      this.address("watch", this.game.name, `${algorithm}/${this.text.value}`)
    );
    this.grows = isGrowing;
    this.steps = isGrowing ? this.found.simulations.flatMap(
      (each, i) => PHASES.map((phase) => ({ phase, ...each, simulation: i }))
    ) : this.found.steps;
    if (isGrowing) {
      this.found.nodes.forEach(
        (node) => (node.depth = node.parent === null ? 0 : this.found.nodes[node.parent].depth + 1)
      );
      layOut(this.found.nodes, 58);
    }
    this.slider.max = this.steps.length;
    this.go(0);
  }

  go(step) {
    if (!this.found) return;
    this.at = Math.min(Math.max(0, step), this.steps.length);
    this.slider.value = this.at;
    const name = SEARCHES[this.algorithm.value];
    this.heading.textContent = `${name} on ${this.isTree ? "a written tree" : this.game.title} · step ${this.at} of ${this.steps.length}`;
    if (this.grows) this.showGrowth();
    else this.showTrace();
    if (this.at === this.steps.length) this.pause();
  }

  // ---- minimax and its family

  /** What is known after so many steps: of each visit its window and value, and which are open. */
  known() {
    const visits = new Map(), stack = [];
    for (const step of this.steps.slice(0, this.at)) {
      const open = { alpha: step.alpha, beta: step.beta, v: step.v, event: step.event };
      if (step.event === "enter") stack.push(step.visit);
      if (step.event === "leave") {
        stack.pop();
        open.closed = true;
      }
      if (step.event === "cut" || visits.get(step.visit)?.cut) open.cut = true;
      visits.set(step.visit, open);
    }
    return { visits, stack };
  }

  showTrace() {
    const { visits, stack } = this.known(), step = this.steps[this.at - 1], here = step?.visit;
    const done = this.at === this.steps.length, best = done ? this.bestLine() : new Set();
    const nodes = this.found.nodes.map((node, i) => {
      const seen = node.visit === null ? null : visits.get(node.visit);
      const isCut = node.visit === null && visits.get(node.cut_at)?.cut;
      const isLeaf = node.kind === "end" || node.kind === "limit";
      const classes = [
        seen || isCut ? "" : "soon",
        node.visit === here && seen ? "here" : "",
        best.has(i) ? "best" : "",
      ].join(" ");
      const text = isLeaf || node.visit === null ? node.value : seen?.closed ? shown(seen.v, node.value) : "";
      const window = this.algorithm.value !== "minimax" && seen && !seen.closed && !isLeaf ? `α ${shown(seen.alpha, "−∞")}  β ${shown(seen.beta, "∞")}` : "";
      return {
        ...node,
        kind: node.kind === "unseen" ? "end" : node.kind,
        text: node.folded ? `${text} +${node.folded}` : text,
        classes,
        edge: isCut ? "cut" : best.has(i) ? "best" : "",
        note: window,
      };
    });
    put(this.tree, drawTree(nodes));
    const end = `${this.found.visits} states were looked at${this.found.skipped ? `, ${this.found.skipped} moves were not` : ""}. The value is ${shown(this.found.value)}.${this.found.complete ? "" : " Only the upper part is shown."}`;
    this.words.textContent = step ? `${step.text[0].toUpperCase()}${step.text.slice(1)}.${done ? ` ${end}` : ""}` : "Press Forward, or Play.";
    this.showCode(step);
    this.showStack(visits, stack);
  }

  bestLine() {
    const found = new Set([0]);
    let here = 0;
    for (const name of this.found.line) {
      here = this.found.nodes.findIndex(
        (node, i) => node.parent === here && node.visit !== null && node.name.split("\n")[0] === name && !found.has(i)
      );
      if (here < 0) break;
      found.add(here);
    }
    return found;
  }

  kindOf(visit) {
    return this.found.nodes.find((node) => node.visit === visit)?.kind;
  }

  showCode(step) {
    const algorithm = this.algorithm.value, family = algorithm.startsWith("star") ? "alphabeta" : algorithm;
    let kind = step ? this.kindOf(step.visit) : "max";
    const isLeaf = kind === "end" || kind === "limit";
    if (isLeaf) kind = this.kindOf(this.parentOf(step.visit)) ?? "max";
    const lines = (
      kind === "chance" ? (algorithm === "minimax" ? CODE.minimax : CODE.star).chance : CODE[family][kind]
    ) ?? CODE.minimax.max;
    const cuts = lines.length > 6;
    const line = !step ? -1 : isLeaf ? 1 : {
      enter: 2,
      back: 4,
      cut: 5,
      leave: cuts && this.steps[this.at - 2]?.event === "cut" ? 5 : lines.length - 1,
    }[step.event];
    put(
      this.code,
      lines.map((text, i) => h(
        i === line ? "mark" : "span",
        {},
        i === line && step.event === "cut" ? `${text}    # ${step.text}` : text
      ))
    );
  }

  parentOf(visit) {
    const node = this.found.nodes.find((each) => each.visit === visit);
    return node?.parent === null || !node ? null : this.found.nodes[node.parent].visit;
  }

  showStack(visits, stack) {
    const row = (visit) => {
      const node = this.found.nodes.find((each) => each.visit === visit), { alpha, beta, v } = visits.get(visit);
      const low = node.kind === "max" ? "−∞" : "+∞";
      return [
        h(
          "span",
          {},
          `${{ max: "MAX", min: "MIN", chance: "chance", end: "leaf", limit: "leaf" }[node.kind]} ${node.name.split("\n")[0] || "root"}`
        ),
        h("span", {}, shown(alpha, "−∞")),
        h("span", {}, shown(beta, "∞")),
        h("span", {}, shown(v, node.kind === "max" || node.kind === "min" ? low : "")),
      ];
    };
    this.stackCard.querySelector("h2").textContent = "Call stack";
    put(this.stack, h("em", {}, ""), h("em", {}, "α"), h("em", {}, "β"), h("em", {}, "v"), stack.map(row).flat());
  }

  // ---- Monte Carlo tree search

  showGrowth() {
    const step = this.steps[this.at - 1], done = step ? step.simulation + (step.phase === "back up" ? 1 : 0) : 0;
    const visits = this.found.nodes.map(() => 0), totals = this.found.nodes.map(() => 0);
    for (const { path, values } of this.found.simulations.slice(0, done)) {
      for (const n of path) {
        visits[n] += 1;
        totals[n] += values[0];
      }
    }
    const path = new Set(step?.path ?? []), isNew = (n) => step && step.added === n && step.phase !== "back up";
    const nodes = this.found.nodes.map((node, n) => {
      const exists = visits[n] > 0 || n === 0 || (isNew(n) && step.phase !== "select");
      const on = step && path.has(n) && (step.phase !== "select" || n !== step.added);
      return {
        ...node,
        text: visits[n] ? `${(totals[n] / visits[n]).toFixed(1)}` : "",
        note: visits[n] ? `n ${visits[n]}` : "",
        classes: `${exists ? "" : "soon"} ${on ? "here" : ""}`,
        edge: on ? "best" : "",
      };
    });
    put(this.tree, drawTree(nodes));
    const words = step && {
      select: `Simulation ${step.simulation + 1}: go down the tree by UCB1`,
      expand: step.added === null ? "The game is over here: nothing to add" : "A new node",
      simulate: `A game at random from here ends with ${shown(step.values[0])}`,
      "back up": "Every node on the way counts it",
    }[step.phase];
    const converges = this.found.value === null ? "" : ` The minimax value is ${shown(this.found.value)}.`;
    const most = done ? nodes.map((node, n) => ({ node, n })).filter(({ node }) => node.parent === 0).sort(
      (a, b) => visits[b.n] - visits[a.n]
    )[0] : null;
    this.words.textContent = step ? `${words}. ${most ? `Visited most: ${most.node.name}, mean at the root ${(totals[0] / visits[0]).toFixed(2)}.` : ""}${converges}` : "Press Forward, or Play.";
    put(this.code, CODE.mcts.map((text, i) => h(step && i === PHASE_LINES[step.phase] ? "mark" : "span", {}, text)));
    this.stackCard.querySelector("h2").textContent = "Moves at the root";
    const rows = nodes.map((node, n) => ({ node, n })).filter(({ node, n }) => node.parent === 0 && visits[n]);
    put(
      this.stack,
      h("em", {}, ""),
      h("em", {}, "visits"),
      h("em", {}, "mean"),
      h("em", {}, ""),
      rows.flatMap(({ node, n }) => [
        h("span", {}, node.name),
        h("span", {}, String(visits[n])),
        h("span", {}, (totals[n] / visits[n]).toFixed(2)),
        h("span"),
      ])
    );
  }

  // ---- what else can be done

  start() {
    if (this.at === this.steps.length) this.go(0);
    this.play.textContent = "Pause";
    const next = () => {
      this.go(this.at + 1);
      if (this.at < this.steps.length) this.playing = setTimeout(next, Number(this.speed.value));
    };
    this.playing = setTimeout(next, 0);
  }

  pause() {
    clearTimeout(this.playing);
    this.playing = null;
    this.play.textContent = "Play";
  }

  toggleEditor() {
    const opens = this.edit.getAttribute("aria-pressed") === "false";
    this.edit.setAttribute("aria-pressed", String(opens));
    this.edit.textContent = opens ? "Close editor" : "Edit tree";
    this.editor.show(opens);
    this.tree.hidden = opens;
    if (opens) this.pause();
  }

  async share() {
    await navigator.clipboard.writeText(this.text.value);
    say("The tree is copied as text; the address of this page has it too.");
  }

  export() {
    const picture = this.found?.svg ?? new XMLSerializer().serializeToString(this.tree.querySelector("svg"));
    download(`${this.algorithm.value}.svg`, picture, "image/svg+xml");
  }

  key(event) {
    if (event.target.closest("input, textarea, select, button, [role=button]")) return;
    if (event.key === "ArrowRight") this.go(this.at + 1);
    else if (event.key === "ArrowLeft") this.go(this.at - 1);
    else if (event.key === " ") this.play.click();
    else return;
    event.preventDefault();
  }
}
