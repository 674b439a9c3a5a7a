// The item as raters see it: its texts under their names, with what is marked in them.

import { button, fill, h, onControl } from "./dom.js";
import { drawn, selected } from "./marks.js";

const LONG = 1400; // characters from which a text that is no answer gets a window of its own

export class ItemPane {
  element;
  #say;
  #parts = [];
  #shown = new Map(); // place -> texts that were opened wholly

  constructor(say) {
    this.#say = say;
    this.element = h("section", { class: "item", tabindex: "0", role: "region", "aria-label": say.text });
  }

  // place: {place, kind, parts}; marks: [{part, start, end, style, letter}]; head: elements above the texts.
  show(place, marks, head = []) {
    const sides = place.parts.filter(({ name }) => place.kind === "pair" && ["first", "second"].includes(name));
    const others = place.parts.filter((part) => !sides.includes(part));
    const above = others.filter(({ name }) => ["input", "context"].includes(name));
    const below = others.filter((part) => !above.includes(part));
    const one = (part) => this.#part(part, place, marks);
    this.#parts = [];
    fill(
      this.element, head, above.map(one),
      sides.length ? h("div", { class: "sides" }, sides.map(one)) : null,
      below.map(one),
    );
  }

  top() {
    this.element.scrollTop = 0;
  }

  scroll(amount) {
    this.element.scrollBy({ top: amount * this.element.clientHeight });
  }

  get parts() {
    return this.#parts;
  }

  selected() {
    return selected(this.#parts);
  }

  text(part) {
    return this.#parts.find(({ name }) => name === part)?.text ?? "";
  }

  nameOf(part) {
    return Object.hasOwn(this.#say.parts, part) ? this.#say.parts[part] : part;
  }

  #part({ name, text, markable }, place, marks) {
    const mine = marks.filter((mark) => mark.part === name);
    const element = h("div", { class: "text" }, text ? drawn(text, mine) : h("span", { class: "quiet" }, this.#say.empty));
    this.#parts.push({ name, element, text, markable });
    const label = this.nameOf(name);
    const section = h("section", { class: `part part-${["input", "context", "output", "first", "second"].includes(name) ? name : "more"}` }, h("h2", {}, label), element);
    if (text.length > LONG && ["context", "reference", "input"].includes(name)) this.#window(section, element, label, `${place.place} ${name}`);
    return section;
  }

  #window(section, element, label, id) {
    const toggle = button("", null, () => {
      this.#shown.set(id, !this.#shown.get(id));
      set();
    }, { class: "link" });
    const set = () => {
      const whole = this.#shown.get(id) ?? false;
      section.classList.toggle("windowed", !whole);
      toggle.lastElementChild.textContent = whole ? this.#say.less : this.#say.whole;
      toggle.setAttribute("aria-expanded", String(whole));
      for (const [name, value] of [["tabindex", "0"], ["role", "region"], ["aria-label", label]]) {
        if (whole) element.removeAttribute(name);
        else element.setAttribute(name, value);
      }
    };
    section.append(toggle);
    set();
  }
}

// The keys that scroll the texts, wherever the keyboard is, but on a control.
export function scrolling(event, pane) {
  if (onControl(event)) return {};
  const by = (amount) => () => pane.scroll(amount);
  return { ArrowUp: by(-0.15), ArrowDown: by(0.15), PageUp: by(-0.9), PageDown: by(0.9), " ": by(event.shiftKey ? -0.8 : 0.8) };
}
