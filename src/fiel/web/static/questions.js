// The question pane: each criterion a card with its answers, and what else can be said of it.

import { button, fill, h, redrawn } from "./dom.js";
import { isSkipped } from "./book.js";
import { quoted } from "./marks.js";
import { choices, group } from "./options.js";

export class QuestionPane {
  element;
  #say;
  #opening;
  #act;
  #cards = [];
  #drawing = false;

  // act: {choose(number, choice), focus(number), skip(number), flag(number), note(number, text), unmark(number, mark)}
  constructor(say, opening, act) {
    this.#say = say;
    this.#opening = opening;
    this.#act = act;
    this.element = h("section", { class: "questions", "aria-label": say.question });
  }

  show(place, focused, item) {
    this.#cards = this.#opening.questions.map((question) => this.#card(question, place, question.number === focused, item));
    fill(this.element, this.#cards.map(({ element }) => element));
  }

  // Put the keyboard where the answer is asked for.
  focus(number) {
    const card = this.#cards[number];
    if (!card) return;
    card.element.focus({ preventScroll: true });
    if (this.#cards.length > 1) card.element.scrollIntoView({ block: "nearest" });
    else this.element.scrollTop = 0;
  }

  focusNote(number) {
    this.#noteArea(number).focus();
  }

  // The note that is being written, or null.
  openNote() {
    const number = this.#cards.findIndex(({ note }) => note.contains(document.activeElement));
    return number < 0 ? null : { number, text: this.#cards[number].note.querySelector("textarea").value };
  }

  // Draw anew around a note that is being written: it stays as it is, and the keyboard in it.
  around(draw) {
    const open = this.openNote();
    if (!open) return draw();
    this.#drawing = true;
    redrawn(document.activeElement, draw, () => this.#noteArea(open.number));
    this.#drawing = false;
    return null;
  }

  // Where a note is written, in sight.
  #noteArea(number) {
    const { note } = this.#cards[number];
    note.hidden = false;
    return note.querySelector("textarea");
  }

  // Show which question the keys answer.
  mark(number) {
    for (const [index, { element }] of this.#cards.entries()) element.classList.toggle("focused", index === number);
  }

  #card(question, place, isFocused, item) {
    const say = this.#say;
    const { number } = question;
    const entry = place.cells[number];
    const list = choices(question, place.kind, say);
    const title = h("h2", { id: `question-${number}` }, question.question);
    const enabled = this.#opening.open;
    const options = group(list, entry, { labelledby: `question-${number}`, enabled, choose: (choice) => this.#act.choose(number, choice) });
    const note = this.#note(number, entry, enabled, place.place);
    const element = h("section", {
      class: `card${isFocused ? " focused" : ""}`, tabindex: "-1", role: "group", "aria-labelledby": `question-${number}`,
      onfocusin: () => this.#act.focus(number),
    },
    this.#opening.questions.length > 1 ? h("p", { class: "criterion" }, question.id) : null,
    title, options,
    isSkipped(entry) ? h("p", { class: "skipped" }, say.skippedBecause(say.reasons[entry.skipped] ?? entry.skipped)) : null,
    h("div", { class: "more" },
      button(isSkipped(entry) ? say.unskip : say.skip, "S", () => this.#act.skip(number), { disabled: !enabled }),
      button(entry.flag ? say.flagged : say.flag, "F", () => this.#act.flag(number), { "aria-pressed": String(entry.flag), disabled: !enabled }),
      button(say.note, "N", () => this.#act.edit(number), { disabled: !enabled, "aria-expanded": String(!note.hidden) }),
      button(say.mark, "E", () => this.#act.mark(number), { disabled: !enabled, title: say.markHint, onmousedown: (event) => event.preventDefault() })),
    note, this.#evidence(number, entry, item, enabled));
    return { element, note };
  }

  #note(number, entry, enabled, place) {
    const id = `note-${number}`;
    const area = h("textarea", {
      id, rows: "2", maxlength: "10000", readOnly: !enabled, value: entry.note ?? "", "aria-describedby": `${id}-hint`,
      onblur: () => this.#drawing || this.#act.note(number, area.value, place), // drawn anew, it may be left when another place is shown
      onkeydown: (event) => {
        if (event.key === "Escape" || (event.key === "Enter" && (event.ctrlKey || event.metaKey))) {
          event.preventDefault();
          event.stopPropagation();
          this.focus(number);
        }
      },
    });
    area.value = entry.note ?? "";
    return h("div", { class: "note", hidden: !entry.note }, h("label", { for: id }, this.#say.note), area, h("small", { id: `${id}-hint`, class: "quiet" }, this.#say.noteHint));
  }

  #evidence(number, entry, item, enabled) {
    if (!entry.evidence.length) return null;
    return h("div", { class: "evidence" }, h("h3", {}, this.#say.evidence), h("ul", {}, entry.evidence.map((mark) => {
      const text = quoted(item.text(mark.part), mark);
      return h("li", {}, h("q", {}, text), h("button", {
        type: "button", class: "remove", "aria-label": this.#say.removeMark(text), disabled: !enabled, onclick: () => this.#act.unmark(number, mark),
      }, "×"));
    })));
  }
}
