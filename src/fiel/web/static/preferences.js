// What a rater prefers in this browser: monospace, and whether an answer moves on.

import { button, h } from "./dom.js";

function read(name, otherwise) {
  try {
    return localStorage.getItem(`fiel-${name}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

class Preferences {
  #mono = read("mono", "no") === "yes";
  #advance = read("advance", "yes") === "yes";

  get advance() {
    return this.#advance;
  }

  apply() {
    document.body.classList.toggle("mono", this.#mono);
    for (const toggle of document.querySelectorAll(".mono-toggle")) toggle.setAttribute("aria-pressed", String(this.#mono));
  }

  flip(name) {
    if (name === "mono") this.#mono = !this.#mono;
    else this.#advance = !this.#advance;
    try {
      localStorage.setItem(`fiel-${name}`, (name === "mono" ? this.#mono : this.#advance) ? "yes" : "no");
    } catch {
      // a browser that keeps nothing: the choice lasts as long as the page
    }
    this.apply();
  }

  toggle(say) {
    return button(say.mono, "M", () => this.flip("mono"), { class: "mono-toggle", "aria-pressed": String(this.#mono) });
  }

  switches(say) {
    const box = h("input", { type: "checkbox", id: "advance", checked: this.#advance, onchange: () => this.flip("advance") });
    return h("p", { class: "switch" }, box, h("label", { for: "advance" }, say.advance));
  }
}

export const preferences = new Preferences();
