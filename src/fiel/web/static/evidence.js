// Marking evidence: what is selected is marked; with nothing selected, sentences are chosen by keyboard first.

import { same } from "./marks.js";
import { Picker } from "./picker.js";

const PARTS = { answer: "output", context: "context", question: "input" }; // where a criterion wants its evidence

export class Evidence {
  #say;
  #opening;
  #panes;
  #picker = new Picker();

  constructor(say, opening, panes) {
    this.#say = say;
    this.#opening = opening;
    this.#panes = panes;
  }

  // The evidence with what is selected added, or null where nothing new is.
  marked(number, evidence) {
    const { mark, problem } = this.#panes.item.selected();
    if (problem === "noSelection") return this.#begin(number);
    if (problem) return this.#hint(this.#say[problem]);
    this.leave();
    getSelection().removeAllRanges();
    return evidence.some((other) => same(other, mark)) ? null : [...evidence, mark];
  }

  // The keys that choose sentences, while they do.
  keys({ shiftKey }) {
    if (!this.#picker.active) return {};
    const move = (step) => () => {
      this.#picker.move(step, shiftKey);
      this.#panes.top.speak(this.#picker.words);
    };
    return { ArrowDown: move(1), ArrowUp: move(-1), Escape: () => this.leave() };
  }

  leave() {
    if (!this.#picker.active) return;
    this.#picker.end();
    this.#panes.notice.hide();
  }

  #begin(number) {
    const wanted = PARTS[this.#opening.questions[number].evidence_in];
    const found = this.#picker.begin(this.#panes.item.parts, this.#say.language, [wanted, "output", "first"].filter(Boolean));
    if (!found) return this.#hint(this.#say.noSelection);
    this.#panes.notice.keep(this.#say.picking);
    this.#panes.top.speak(this.#picker.words);
    return null;
  }

  #hint(words) {
    this.#panes.notice.show(words);
    return null;
  }
}
