// The editor of trees: nodes are chosen in the picture and changed below it. What it makes is a text, as `tree` reads it.
import { h, put } from "./dom.js";
import { drawTree, layOut } from "./tree.js";

const KINDS = { 0: "max", 1: "min", "-1": "chance" };
const kindOf = (node) => (node.children.length ? KINDS[node.player] ?? `p${node.player + 1}` : "end");

/** A node as text; who moves is always said. */
export function written(node, probability) {
  const label = node.label ? `${node.label}: ` : "";
  const share = probability === undefined ? "" : `${probability} * `;
  if (!node.children.length) return `${share}${label}${node.utilities.length === 1 ? node.utilities[0] : `(${node.utilities.join(", ")})`}`;
  const isChance = node.player === -1;
  const below = node.children.map((child, i) => written(child, isChance ? node.probabilities[i] : undefined));
  return `${share}${label}${kindOf(node)}[${below.join(", ")}]`;
}

export class Editor {
  /** `changed(text)` is called with the new tree. */
  constructor(changed) {
    this.changed = changed;
    this.root = null;
    this.chosen = [];
    this.picture = h("div", { className: "tree" });
    this.panel = h("div", { className: "foot" });
    this.element = h("div", { hidden: true }, this.picture, this.panel);
  }

  take({ root, players }) {
    this.root = root;
    this.players = players;
    this.draw();
  }

  show(on) {
    this.element.hidden = !on;
    this.draw();
  }

  /** The node at a path of numbers of children. */
  at(path) {
    return path.reduce((node, i) => node?.children[i], this.root);
  }

  draw() {
    if (!this.root || this.element.hidden) return;
    if (!this.at(this.chosen)) this.chosen = [];
    this.drawPicture();
    this.drawPanel();
  }

  drawPicture() {
    const nodes = [], paths = [];
    const walk = (node, parent, path) => {
      const number = nodes.length, above = this.at(path.slice(0, -1));
      const share = parent !== null && above.player === -1 ? ` ${above.probabilities[path.at(-1)]}` : "";
      nodes.push({
        parent,
        depth: path.length,
        name: `${node.label}${share}`,
        kind: kindOf(node),
        text: node.children.length ? "" : node.utilities.join(", "),
        classes: String(path) === String(this.chosen) ? "chosen" : "",
      });
      paths.push(path);
      node.children.forEach((child, i) => walk(child, number, [...path, i]));
    };
    walk(this.root, null, []);
    layOut(nodes, 58);
    put(
      this.picture,
      drawTree(
        nodes,
        {
          label: "The tree; choose a node",
          pick: (i) => {
            this.chosen = paths[i];
            this.draw();
            this.picture.querySelector(`[data-node="${i}"]`)?.focus();
          },
        }
      )
    );
  }

  drawPanel() {
    const node = this.at(this.chosen), above = this.chosen.length ? this.at(this.chosen.slice(0, -1)) : null, place = this.chosen.at(-1);
    const change = (work) => () => {
      work();
      this.draw();
      this.changed(written(this.root));
    };
    const changeNumber = (work) => {  // the panel stays: the click that ends the typing may be on a button of it
      work();
      this.drawPicture();
      this.changed(written(this.root));
    };
    const number = (label, get, set) => h(
      "label",
      {},
      `${label} `,
      h(
        "input",
        {
          type: "number",
          step: "any",
          value: get(),
          onchange: ({ target }) => Number.isFinite(target.valueAsNumber) && changeNumber(() => {
            set(target.valueAsNumber);
            target.value = get();
          }),
        }
      )
    );
    const zeros = () => ({
      label: "",
      player: 0,
      utilities: this.players > 2 ? Array(this.players).fill(0) : [0],
      probabilities: [],
      children: [],
    });
    const share = () => node.player === -1 && (
      node.probabilities = node.children.map(() => Number((1 / node.children.length).toFixed(6))),
      node.probabilities[0] += 1 - node.probabilities.reduce((a, b) => a + b, 0)
    );
    put(this.panel,
      node.children.length
        ? h(
          "label",
          {},
          "Moves: ",
          h(
            "select",
            { onchange: (event) => change(() => { node.player = Number(event.target.value); share(); })() },
            Object.entries(KINDS).map(
              ([value, words]) => h("option", { value, selected: Number(value) === node.player }, words)
            )
          )
        )
        : node.utilities.map(
          (_, i) => number(
            node.utilities.length > 1 ? `p${i + 1}` : "Value",
            () => node.utilities[i],
            (v) => (node.utilities[i] = v)
          )
        ),
      above?.player === -1 ? number("Probability", () => above.probabilities[place], (v) => {
        const rest = above.probabilities.reduce(
          (sum, p, i) => (i === place ? sum : sum + p),
          0
        ), p = Math.min(0.99, Math.max(0.01, v));
        above.probabilities = above.probabilities.map(
          (each, i) => (i === place ? p : rest ? (each / rest) * (1 - p) : 0)
        );
      }) : null,
      h("button", { type: "button", onclick: change(() => {
        if (!node.children.length) {
          node.player = above && above.player === 0 ? 1 : 0;
          node.children.push({ ...zeros(), utilities: node.utilities });
          node.utilities = [];
        } else node.children.push(zeros());
        share();
      }) }, "Add a child"),
      above && (
        above.children.length > 1 || this.chosen.length > 1
      ) ? h("button", { type: "button", onclick: change(() => {
        above.children.splice(place, 1);
        above.probabilities.splice(place, 1);
        if (!above.children.length) above.utilities = zeros().utilities;
        else if (above.player === -1) {
          const sum = above.probabilities.reduce((a, b) => a + b, 0);
          above.probabilities = above.probabilities.map((p) => p / sum);
        }
        this.chosen = this.chosen.slice(0, -1);
      }) }, "Remove") : null);
  }
}
