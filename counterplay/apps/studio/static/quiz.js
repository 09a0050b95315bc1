// The view Quiz: questions about trees, answered by clicking in the tree or by typing.
import { careful, get, post } from "./api.js";
import { card, h, image, put } from "./dom.js";
import { drawTree, layOut } from "./tree.js";

export const title = "Quiz";

export async function open(main) {
  const kinds = await get("api/quiz");
  const view = new Quiz(kinds);
  put(main, view.element);
  await view.next();
}

class Quiz {
  constructor(kinds) {
    Object.assign(this, { kinds, question: null, chosen: new Set(), right: 0, asked: 0 });
    const select = (label, options, more = {}) => h(
      "select",
      { "aria-label": label, ...more },
      options.map(([value, words]) => h("option", { value }, words))
    );
    this.kind = select(
      "Kind of question",
      [["", "All kinds in turn"], ...kinds.map((each) => [each.name, each.subject])],
      { onchange: careful(() => this.next()) }
    );
    this.difficulty = select(
      "Difficulty",
      [1, 2, 3, 4, 5].map((n) => [n, `Difficulty ${n}`]),
      { onchange: careful(() => this.next()) }
    );
    this.difficulty.value = "2";
    this.tree = h("div", { className: "tree" });
    this.words = h("p");
    this.answer = h("input", { "aria-label": "Your answer", autocomplete: "off" });
    this.send = h("button", { className: "main", type: "submit" }, "Answer");
    this.form = h("span", { className: "soft" });
    this.said = h("p", { role: "status", "aria-live": "polite" });
    this.solution = h("div");
    this.score = h("p");
    this.element = h("div", { className: "layout wide" },
      h("section", { className: "card" }, h("h2", {}, "Question"), this.tree, this.words,
        h("form", { className: "foot", onsubmit: (event) => { event.preventDefault(); careful(() => this.check())(); } }, this.answer, this.send,
          h("button", { type: "button", onclick: () => (this.said.textContent = this.question?.hint ?? "") }, "Hint"), h("button", { type: "button", onclick: careful(() => this.next()) }, "Next question")),
        this.form, this.said, this.solution),
      h("div", { className: "side" }, card("What is asked", h("div", { className: "fields" }, h("label", {}, "Kind", this.kind), h("label", {}, "Difficulty", this.difficulty))), card("Score", this.score)));
  }

  /** The next question. While it is on its way nothing can be answered; if another was asked for since, it comes too late. */
  async next() {
    const kind = this.kind.value || this.kinds[this.asked % this.kinds.length].name;
    const wanted = (this.wanted = { kind, difficulty: Number(this.difficulty.value), seed: Math.floor(Math.random() * 2 ** 31) });
    this.send.disabled = true;
    this.words.textContent = "";
    const question = await post("api/quiz", wanted);
    if (this.wanted !== wanted) return;
    this.question = question;
    this.send.disabled = false;
    this.chosen.clear();
    this.isAnswered = false;
    layOut(this.question.nodes, 52);
    this.words.textContent = this.question.ask;
    this.form.textContent = `Write ${this.question.form}; a click on a node or leaf puts it into the answer.`;
    this.answer.value = this.said.textContent = "";
    put(this.solution);
    this.draw();
    this.tell();
  }

  draw() {
    const nodes = this.question.nodes.map((node, i) => ({
      ...node,
      name: node.share === null ? node.name : `${node.name} ${Number(node.share.toFixed(3))}`,
      text: node.text || node.who || "",
      kind: node.kind === "player" ? "chance" : node.kind,
      classes: this.chosen.has(i) ? "chosen" : "",
    }));
    put(
      this.tree,
      drawTree(nodes, { label: "The tree; nodes can be chosen for the answer", pick: (i) => this.pick(i) })
    );
  }

  /** A click adds a node's name to the answer, or takes it out again. */
  pick(i) {
    if (this.chosen.has(i)) this.chosen.delete(i);
    else this.chosen.add(i);
    const { nodes, kind } = this.question;
    const asValue = kind === "value" || kind === "maxn";
    this.answer.value = [...this.chosen].map(
      (n) => (asValue ? nodes[n].text : nodes[n].name)
    ).filter(Boolean).join(" ");
    this.draw();
    this.tree.querySelector(`[data-node="${i}"]`).focus();
  }

  async check() {
    const { kind, difficulty, seed } = this.question;
    const found = await post("api/quiz/answer", { kind, difficulty, seed, answer: this.answer.value });
    if (!this.isAnswered) {
      this.asked += 1;
      this.right += found.right ? 1 : 0;
    }
    this.isAnswered = true;
    this.said.textContent = found.right ? "Right." : `Not quite: the answer is ${found.answer}.`;
    put(
      this.solution,
      found.solution.flatMap(
        (part) => [
          h("p", {}, part.words),
          part.svg ? h("div", { className: "tree" }, image(part.svg, part.words)) : null,
        ]
      )
    );
    this.tell();
  }

  tell() {
    this.score.textContent = this.asked ? `${this.right} of ${this.asked} right` : "No answers yet.";
  }
}
