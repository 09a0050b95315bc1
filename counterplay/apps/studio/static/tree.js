// Drawing game trees: triangles for MAX and MIN, circles for chance, boxes for leaves.
import { svg } from "./dom.js";

const STEP_Y = 84, TOP = 36, R = 17;

const shapes = {
  max: (x, y) => ["polygon", { points: `${x},${y - R - 4} ${x - R - 6},${y + R} ${x + R + 6},${y + R}` }],
  min: (x, y) => ["polygon", { points: `${x},${y + R + 4} ${x - R - 6},${y - R} ${x + R + 6},${y - R}` }],
  chance: (x, y) => ["circle", { cx: x, cy: y, r: R + 1 }],
};
const box = (x, y, text) => {
  const half = Math.max(R, 4 + 4.2 * text.length);
  return ["rect", { x: x - half, y: y - R + 3, width: 2 * half, height: 2 * R - 6, rx: 4 }];
};

/** Give nodes that have a parent and a depth an x each, leaves side by side. */
export function layOut(nodes, step = 46) {
  const children = nodes.map(() => []);
  nodes.forEach((node, i) => node.parent !== null && children[node.parent].push(i));
  let next = 30;
  const place = (i) => {
    const below = children[i];
    below.forEach(place);
    if (!below.length) {
      nodes[i].x = next;
      next += step;
    } else nodes[i].x = (nodes[below[0]].x + nodes[below.at(-1)].x) / 2;
  };
  if (nodes.length) place(0);
}

/** The tree as a picture. A node has `parent`, `x`, `depth`, `name`, `kind`, `text`, and perhaps `classes`, `edge` and
    `note`; with `pick(i)` nodes are buttons. */
export function drawTree(nodes, { pick, label = "The tree" } = {}) {
  const width = Math.max(
    300,
    ...nodes.map((node) => node.x + 70)
  ), height = TOP + STEP_Y * Math.max(...nodes.map((node) => node.depth)) + 46;
  const y = (node) => TOP + STEP_Y * node.depth;
  const picture = svg(
    "svg",
    {
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: pick ? "group" : "img",
      "aria-label": label,
      "font-size": 13,
      "font-family": "system-ui, sans-serif",
    }
  );
  for (const node of nodes) {
    if (node.parent === null) continue;
    const above = nodes[node.parent], tip = node.kind === "max" ? R + 4 : R - 2;
    picture.append(svg(
      "line",
      {
        class: `edge ${node.edge ?? ""} ${node.classes ?? ""}`,
        x1: above.x,
        y1: y(above) + R,
        x2: node.x,
        y2: y(node) - tip,
      }
    ));
    const x = above.x + (node.x - above.x) * 0.62, middle = y(above) + (y(node) - y(above)) * 0.62;
    picture.append(svg(
      "text",
      {
        class: `soft ${node.classes ?? ""}`,
        x: x + (node.x >= above.x ? 4 : -4),
        y: middle,
        "text-anchor": node.x >= above.x ? "start" : "end",
      },
      node.name
    ));
  }
  nodes.forEach((node, i) => {
    const text = node.text ?? "", [tag, where] = (shapes[node.kind] ?? ((a, b) => box(a, b, text)))(node.x, y(node));
    const group = svg("g", pick ? { role: "button", tabindex: 0, "data-node": i, "aria-label": `${node.kind} ${node.name} ${text}` } : {},
      svg(tag, { class: `node ${node.kind} ${node.classes ?? ""}`, ...where }),
      svg(
        "text",
        {
          class: node.classes ?? "",
          x: node.x,
          y: y(node) + (node.kind === "max" ? 11 : node.kind === "min" ? 0 : 5),
          "text-anchor": "middle",
          "font-weight": 600,
        },
        text
      ),
      node.note ? svg("text", { class: "soft", x: node.x + R + 10, y: y(node) - 8 }, node.note) : null);
    if (pick) {
      group.addEventListener("click", () => pick(i));
      group.addEventListener(
        "keydown",
        (event) => (event.key === "Enter" || event.key === " ") && (event.preventDefault(), pick(i))
      );
    }
    picture.append(group);
  });
  return picture;
}
