// A line over the bottom strip: a hint that goes by itself, or a warning that stays until it is closed.

import { fill, h } from "./dom.js";

const GONE_AFTER = 4000;

export class Notice {
  element = h("div", { class: "notice", role: "alert", hidden: true });
  #say;
  #timer = null;

  constructor(say) {
    this.#say = say;
  }

  show(words) {
    this.#set(words);
    this.#timer = setTimeout(() => this.hide(), GONE_AFTER);
  }

  keep(words) {
    this.#set(words, h("button", { type: "button", class: "remove", "aria-label": this.#say.close, onclick: () => this.hide() }, "×"));
  }

  hide() {
    clearTimeout(this.#timer);
    this.element.hidden = true;
  }

  #set(words, ...more) {
    clearTimeout(this.#timer);
    fill(this.element, h("p", {}, words), more);
    this.element.hidden = false;
  }
}
