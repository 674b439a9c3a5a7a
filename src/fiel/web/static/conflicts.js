// Answers that met another one: told one after another, and settled as the rater chooses.

import { BLANK, cellName } from "./book.js";
import { askConflict } from "./dialogs.js";
import { worded } from "./options.js";

export class Conflicts {
  #say;
  #opening;
  #book;
  #outbox;
  #settled;
  #waiting = [];
  #asking = false;

  // settled(place): something on the page may have changed.
  constructor({ say, opening, book, outbox, settled }) {
    this.#say = say;
    this.#opening = opening;
    this.#book = book;
    this.#outbox = outbox;
    this.#settled = settled;
  }

  async add(write, current) {
    this.#waiting.push({ write, standing: { ...BLANK, version: 0, ...current } });
    if (this.#asking) return;
    this.#asking = true;
    while (this.#waiting.length) await this.#settle(this.#waiting.shift());
    this.#asking = false;
  }

  async #settle({ write, standing }) {
    const mine = () => this.#outbox.last(cellName(write.place, write.question))?.body ?? write.body;
    const choice = this.#alike(mine(), standing) ? "other" : await this.#ask(write, mine, standing);
    if (choice === "other") this.#book.take(write, standing);
    this.#outbox.settle(write.cell, choice, standing.version);
    this.#settled(write.place);
  }

  #ask(write, mine, standing) {
    const say = this.#say;
    return askConflict(say, () => ({
      title: say.conflictTitle, text: say.conflictText(write.place + 1), mine: this.#told(mine(), write), other: this.#told(standing, write),
    }));
  }

  #alike(mine, standing) {
    return Object.keys(mine).every((name) => name === "seconds" || JSON.stringify(mine[name]) === JSON.stringify(standing[name]));
  }

  #told(entry, { place, question }) {
    const kind = this.#book.places.get(place)?.kind;
    const answer = worded(entry, this.#opening.questions[question], kind, this.#say) ?? this.#say.nothing;
    return [answer, entry.flag ? this.#say.flagged : null, entry.note ? `“${entry.note}”` : null].filter(Boolean).join(" · ");
  }
}
