// Making elements. Texts become text nodes, always: nothing that a game says is ever markup.

/** An element with properties, listeners (`onclick`), attributes (`aria-label`) and children. */
export function h(tag, given = {}, ...children) {
  return fill(document.createElement(tag), given, children, (element, name) => name in element && !name.includes("-"));
}

/** The same for drawings. */
export function svg(tag, given = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), given, children, () => false);
}

function fill(element, given, children, isProperty) {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (
      const [property, v] of Object.entries(value)
    ) element.style.setProperty(property, v);
    else if (isProperty(element, name)) element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}

/** Put these children in the place of what was there. */
export function put(element, ...children) {
  element.replaceChildren(...children.flat().filter((each) => each !== null && each !== undefined && each !== false));
  return element;
}

export const card = (title, ...children) => h("section", { className: "card" }, h("h2", {}, title), ...children);

let timer;
/** A word at the foot of the page that goes away by itself. */
export function say(text) {
  const toast = document.getElementById("toast");
  toast.textContent = text;
  clearTimeout(timer);
  timer = setTimeout(() => (toast.textContent = ""), 5000);
}

/** Offer a text as a file. */
export function download(name, text, kind = "application/json") {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: kind })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** A picture that a game has drawn, as an image: nothing in it can run. */
export function image(source, alt) {
  return h("img", { src: `data:image/svg+xml,${encodeURIComponent(source)}`, alt, draggable: false });
}

export const number = (n) => n >= 1e9 ? `${(n / 1e9).toFixed(1)} G` : n >= 1e6 ? `${(n / 1e6).toFixed(1)} M` : n >= 1e4 ? `${Math.round(n / 1e3)} k` : `${n}`;
