// The decision on one cell: an answer, a reason, a note where it is needed.

import { button, fill, h, key, redrawn } from "./dom.js";
import { choices, group } from "./options.js";

export const REASONS = [["G", "rubric gap"], ["A", "item ambiguous"], ["L", "rater slip"], ["B", "item broken"], ["T", "true split"]];

// Whether a reason comes without an answer.
export const without = (reason) => reason === "true split" || reason === "item broken";

function decidable(cell, say) {
  if (cell.kind !== "pair") return choices(cell.question, cell.kind, say);
  const sides = [["first", say.parts.first], ["tie", say.pair[2]], ["second", say.parts.second]];
  const made = sides.map(([answer, label], index) => ({ key: String(index + 1), label, answer, strength: null, skipped: null, about: null }));
  return [...made, ...choices(cell.question, cell.kind, say).filter(({ skipped }) => skipped)];
}

export class DecisionPane {
  element;
  choices = [];
  #say;
  #act;
  #card = null;
  #area = null;
  #drawing = false;

  // act: {choose(choice), reason(reason), note(text, n), save()}
  constructor(say, act) {
    this.#say = say;
    this.#act = act;
    this.element = h("section", { class: "questions", "aria-label": say.decision });
  }

  show(cell, draft, enabled) {
    const say = this.#say;
    this.choices = decidable(cell, say);
    const entry = { ...draft, strength: null };
    const split = new Set(cell.cards.map((card) => card.answer ?? card.skipped)).size > 1;
    this.#area = h("textarea", { id: "decision-note", rows: "3", maxlength: "10000", readOnly: !enabled });
    const area = this.#area;
    area.addEventListener("blur", () => this.#drawing || this.#act.note(area.value, cell.n));
    area.value = draft.note ?? "";
    area.addEventListener("keydown", (event) => {
      if (event.key === "Escape") {
        event.preventDefault();
        this.focus();
      }
    });
    this.#card = h("section", { class: "card focused", tabindex: "-1", role: "group", "aria-labelledby": "decision-title" },
      h("p", { class: "criterion" }, cell.question.id),
      h("h2", { id: "decision-title" }, cell.question.question),
      cell.own ? h("p", { class: "warn" }, say.ownWarning) : null,
      cell.changed ? h("p", { class: "warn" }, say.changed) : null,
      group(this.choices, entry, { labelledby: "decision-title", enabled, choose: this.#act.choose }),
      h("h3", { id: "reason-title" }, say.reason),
      h("div", { class: "reasons", role: "group", "aria-labelledby": "reason-title" }, REASONS.map(([badge, reason]) => h("button", {
        type: "button", "aria-pressed": String(draft.reason === reason), disabled: !enabled || (reason === "true split" && !split), onclick: () => this.#act.reason(reason),
      }, key(badge), h("span", {}, say.decisionReasons[reason])))),
      h("label", { for: "decision-note", class: "quiet" }, say.decisionNote, " ", key("N")), area,
      button(say.save, "Ctrl ↵", this.#act.save, { class: "main save", disabled: !enabled }));
    fill(this.element, this.#card);
  }

  focus() {
    this.#card?.focus({ preventScroll: true });
  }

  focusNote() {
    this.#area?.focus();
  }

  // Draw anew around what is being done: a note that is being written stays as it is, and the keyboard where it was.
  around(draw) {
    const isWriting = this.openNote() !== null;
    const inside = this.element.contains(document.activeElement) || document.activeElement === document.body;
    this.#drawing = true;
    if (isWriting) redrawn(this.#area, draw, () => this.#area);
    else draw();
    this.#drawing = false;
    if (!isWriting && inside) this.focus();
  }

  // What stands in the note while it is being written, or null.
  openNote() {
    return this.#area && document.activeElement === this.#area ? this.#area.value : null;
  }
}
