// The strip above (where one is, how far, whether all is saved) and the strip below (back, undo, next).

import { button, fill, h, key } from "./dom.js";

export class TopStrip {
  element;
  #say;
  #counter = h("span", { class: "count" });
  #bar = h("span", { class: "fill" });
  #progress;
  #state = h("span", { class: "state" });
  #spoken = h("p", { class: "unseen", role: "status" });
  #timer = null;

  constructor(say, title, name, onhelp) {
    this.#say = say;
    this.#progress = h("div", { class: "bar", role: "progressbar", "aria-valuemin": "0", "aria-label": title }, this.#bar);
    this.element = h("header", { class: "top" },
      h("h1", {}, title), h("span", { class: "who quiet" }, name),
      h("div", { class: "far" }, this.#counter, this.#progress), this.#state,
      h("button", { type: "button", class: "ask", onclick: onhelp, "aria-label": say.keys, title: say.keys }, key("?")), this.#spoken);
  }

  count(done, total, words) {
    this.#counter.textContent = words;
    this.#bar.style.width = `${total ? (100 * done) / total : 0}%`;
    this.#progress.setAttribute("aria-valuemax", String(total));
    this.#progress.setAttribute("aria-valuenow", String(done));
    this.#progress.setAttribute("aria-valuetext", words);
  }

  // kind: saved, saving, offline, conflict, refused or closed; the dot has a shape for each.
  state(kind, words) {
    if (this.#state.dataset.kind === kind && this.#state.textContent === words) return;
    const changed = this.#state.dataset.kind !== kind;
    this.#state.dataset.kind = kind;
    fill(this.#state, h("span", { class: "dot", "aria-hidden": "true" }), h("span", { class: "word" }, words));
    if (changed && kind !== "saving") this.speak(words, 800);
  }

  // Say something to who listens instead of looking.
  speak(words, pause = 150) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => { this.#spoken.textContent = words; }, pause);
  }
}

export class BottomStrip {
  element;
  #say;
  #undo;
  #redo;
  #onward;

  // act: {back, undo, redo, next}
  constructor(say, act) {
    this.#say = say;
    this.#undo = button(say.undo, "U", act.undo, { class: "undo" });
    this.#redo = button(say.redo, "R", act.redo);
    const [short, rest] = say.next;
    this.#onward = h("button", { type: "button", class: "onward", onclick: act.next }, key("→"), h("span", {}, short, h("span", { class: "rest" }, rest)));
    this.element = h("nav", { class: "bottom", "aria-label": say.keys },
      button(say.back, "←", act.back), this.#undo, this.#redo, this.#onward);
  }

  show(last, undone, onward = true) {
    this.#onward.hidden = !onward;
    const words = (prefix, action) => (action ? `${prefix}: ${this.#say.did(action.place + 1, action.what)}` : prefix);
    this.#undo.lastElementChild.textContent = words(this.#say.undo, last);
    this.#undo.disabled = !last;
    this.#redo.disabled = !undone;
    this.#redo.title = words(this.#say.redo, undone);
  }
}
