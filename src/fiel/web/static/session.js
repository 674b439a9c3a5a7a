// One rater at work: which place is shown, what a key does there, when to move on.

import { Book, isDone, isSkipped } from "./book.js";
import { Clock } from "./clock.js";
import { Conflicts } from "./conflicts.js";
import { askSkip, help } from "./dialogs.js";
import { fill, h, inTextField, onControl, pressed } from "./dom.js";
import { endPage } from "./end.js";
import { Evidence } from "./evidence.js";
import { ItemPane, scrolling } from "./item.js";
import { same } from "./marks.js";
import { Notice } from "./notice.js";
import { alone, page } from "./opened.js";
import { choices, isChosen } from "./options.js";
import { preferences } from "./preferences.js";
import { QuestionPane } from "./questions.js";
import { rubric } from "./rubric.js";
import { BottomStrip, TopStrip } from "./strips.js";

export class Session {
  #say;
  #opening;
  #outbox;
  #book;
  #clock = new Clock();
  #carried = new Map(); // place -> seconds spent there before it was left unanswered
  #place = null; // the place shown; null while the end or nothing is shown
  #question = 0;
  #ended = false;
  #waiting = true; // for a place that is not there yet
  #conflicts;
  #evidence;
  #panes;

  constructor({ api, opening, outbox, say }) {
    this.#say = say;
    this.#opening = opening;
    this.#outbox = outbox;
    this.#book = new Book(api, opening, outbox);
    this.#conflicts = new Conflicts({ say, opening, book: this.#book, outbox, settled: (place) => this.#touched(place) });
  }

  begin() {
    if (!this.#opening.open && !this.#opening.places) return alone(this.#say.closedTitle, this.#say.closedText);
    this.#build();
    document.addEventListener("keydown", (event) => this.#key(event));
    addEventListener("hashchange", () => this.#asked(this.#wanted()));
    addEventListener("pagehide", () => this.#leaveNote());
    document.addEventListener("visibilitychange", () => document.hidden && this.#leaveNote());
    this.#book.loadAll(() => this.#arrived(), (status) => this.#failed(status));
    if (!this.#book.size) this.#arrived();
    this.changed();
    return null;
  }

  // What the outbox tells.

  changed() {
    const { state, waiting } = this.#outbox;
    this.#panes.top.state(state, state === "offline" ? this.#say.offline(waiting) : this.#say[state]);
    if (state === "closed") this.#closed();
    if (!this.#outbox.durable && waiting) this.#panes.notice.keep(this.#say.notDurable);
    if (this.#ended) this.#showEnd();
  }

  async saved(write, { version }) {
    if (this.#book.saved(write, version)) return;
    await this.#book.reread(write.place);
    this.#touched(write.place);
  }

  conflict(write, current) {
    this.#conflicts.add(write, current);
  }

  async refused(write, { error }) {
    this.#panes.notice.keep(this.#say.notSaved(write.place + 1, error ?? ""));
    this.#book.forget(write);
    await this.#book.reread(write.place);
    this.#touched(write.place);
  }

  // The page.

  #build() {
    const say = this.#say;
    const act = {
      choose: (number, choice) => this.#choose(number, choice),
      focus: (number) => this.#focus(number),
      skip: (number) => this.#skip(number),
      flag: (number) => this.#flag(number),
      edit: (number) => this.#panes.questions.focusNote(number),
      note: (number, text, place) => this.#note(number, text, place),
      mark: (number) => this.#mark(number),
      unmark: (number, mark) => this.#unmark(number, mark),
    };
    const panes = {
      top: new TopStrip(say, this.#opening.study, this.#opening.name, () => this.#help()),
      item: new ItemPane(say),
      questions: new QuestionPane(say, this.#opening, act),
      rubric: h("section", { class: "rubric", tabindex: "0", role: "region", "aria-labelledby": "rubric-title" },
        h("h2", { id: "rubric-title" }, say.rubric), rubric(this.#opening, say)),
      bottom: new BottomStrip(say, { back: () => this.#back(), undo: () => this.#undo(), redo: () => this.#redo(), next: () => this.#next() }),
      notice: new Notice(say),
      end: h("section", { class: "finish", tabindex: "-1" }),
    };
    panes.side = h("div", { class: "side" }, panes.questions.element, panes.rubric);
    panes.main = h("main", { class: "desk loading" }, panes.item.element, panes.side);
    this.#panes = panes;
    this.#evidence = new Evidence(say, this.#opening, panes);
    fill(page(), panes.top.element, panes.main, panes.notice.element, panes.bottom.element);
    preferences.apply();
  }

  #arrived() {
    this.#count();
    if (this.#waiting) {
      const wanted = this.#wanted();
      const place = wanted ?? this.#book.nextOpen(this.#place ?? -1);
      if (place !== null && this.#book.places.has(place)) this.#go(place);
      else if (this.#book.complete) this.#end();
    } else if (this.#ended) {
      this.#showEnd();
    }
  }

  #failed(status) {
    if (status === 401 || status === 404) alone(this.#say.goneTitle, this.#say.goneText);
    else this.#panes.notice.show(this.#say.unreachable);
  }

  #wanted() {
    const found = /^#(\d{1,9})$/.exec(location.hash);
    const place = found ? Number(found[1]) - 1 : null;
    return place !== null && place >= 0 && place < this.#book.size ? place : null;
  }

  // By the address of the page.
  #asked(place) {
    if (place === null || place === this.#place) return;
    if (this.#book.places.has(place)) this.#go(place);
    else this.#pause(location.href);
  }

  #go(place, question = null) {
    this.#leave();
    this.#ended = this.#waiting = false;
    this.#place = place;
    const cells = this.#book.places.get(place).cells;
    const open = cells.findIndex((entry) => !isDone(entry));
    this.#question = question ?? Math.max(open, 0);
    history.replaceState(null, "", `#${place + 1}`);
    fill(this.#panes.main, this.#panes.item.element, this.#panes.side);
    this.#panes.main.className = `desk of-${this.#book.places.get(place).kind}`;
    this.#show();
    this.#panes.item.top();
    this.#panes.questions.focus(this.#question);
    this.#panes.top.speak(this.#say.item(place + 1));
    this.#clock.reset();
  }

  #leave() {
    this.#evidence.leave();
    if (this.#place === null) return;
    const open = this.#panes.questions.openNote();
    if (open) this.#note(open.number, open.text);
    this.#carried.set(this.#place, (this.#carried.get(this.#place) ?? 0) + this.#clock.take());
  }

  #end() {
    this.#leave();
    this.#place = null;
    this.#ended = true;
    this.#waiting = false;
    history.replaceState(null, "", "#end");
    this.#panes.main.className = "desk ended";
    fill(this.#panes.main, this.#panes.end);
    this.#showEnd();
    this.#panes.end.focus();
    this.#panes.top.speak(this.#say.endTitle);
  }

  #showEnd() {
    const more = { summary: this.#book.summary(), total: this.#book.total, waiting: this.#outbox.waiting, open: this.#opening.open };
    const focused = document.activeElement?.dataset?.go;
    fill(this.#panes.end, endPage(this.#say, more, (place) => this.#go(place)));
    this.#count();
    if (focused) this.#panes.end.querySelector(`[data-go="${focused}"]`)?.focus();
  }

  // Draw the shown place again; the keyboard stays where it is asked for.
  #show() {
    const place = this.#book.places.get(this.#place);
    const marks = place.cells.flatMap((entry, number) => entry.evidence.map((mark) => ({ ...mark, style: number === this.#question ? "own" : "own other" })));
    const head = h("div", { class: "head" }, h("p", { class: "quiet" }, this.#say.item(place.place + 1)), preferences.toggle(this.#say));
    this.#panes.item.element.dataset.place = String(place.place);
    this.#panes.item.show(place, marks, head);
    this.#panes.questions.show(place, this.#question, this.#panes.item);
    this.#count();
  }

  #refresh() {
    if (this.#ended) this.#showEnd();
    if (this.#place === null || !this.#book.places.has(this.#place)) return this.#count();
    this.#show();
    return this.#panes.questions.focus(this.#question);
  }

  // Something arrived for a place: drawn anew around what the rater is doing.
  #touched(place) {
    if (place === this.#place) this.#panes.questions.around(() => this.#refresh());
    else if (this.#ended) this.#showEnd();
    else this.#count();
    if (this.#place !== null && document.activeElement === document.body) this.#panes.questions.focus(this.#question);
  }

  #count() {
    const { done } = this.#book.summary();
    this.#panes.top.count(done, this.#book.total, this.#say.counter(done, this.#book.total));
    this.#panes.bottom.show(this.#book.last, this.#book.undone, !this.#ended);
  }

  // What a rater does.

  #write(number, change, what) {
    if (!this.#opening.open) return false;
    return this.#book.write(this.#place, number, change, what);
  }

  #choose(number, choice) {
    const { answer, strength, skipped } = choice;
    if (!isChosen(choice, this.#book.cell(this.#place, number))) {
      this.#write(number, { answer, strength, skipped, seconds: this.#seconds(number) }, choice.label);
    }
    this.#onward(number);
  }

  #seconds(number) {
    const spent = this.#clock.take() + (this.#carried.get(this.#place) ?? 0);
    this.#carried.delete(this.#place);
    return Math.round(((this.#book.cell(this.#place, number).seconds ?? 0) + spent) * 1000) / 1000;
  }

  // After an answer: the next question, or the next item where this was the last.
  #onward(number) {
    const { cells } = this.#book.places.get(this.#place);
    const open = [...cells.keys()].map((step) => (number + 1 + step) % cells.length).find((other) => !isDone(cells[other]));
    const following = open ?? (number + 1 < cells.length ? number + 1 : null);
    if (following === null && preferences.advance) return this.#next();
    this.#question = following ?? number;
    return this.#refresh();
  }

  #next() {
    const place = this.#book.nextOpen(this.#place ?? -1);
    if (place !== null && place !== this.#place) this.#go(place);
    else if (place === this.#place && place !== null) this.#refresh();
    else if (this.#book.complete) this.#end();
    else this.#pause();
  }

  // Nothing to show yet: keys do nothing until the next place is there.
  #pause(address = location.pathname) {
    this.#leave();
    this.#place = null;
    this.#waiting = true;
    history.replaceState(null, "", address);
    this.#panes.main.className = "desk loading";
  }

  #back() {
    if (this.#ended) this.#go(this.#book.size - 1);
    else if (this.#place > 0 && this.#book.places.has(this.#place - 1)) this.#go(this.#place - 1);
  }

  #follow() {
    if (this.#place !== null && this.#book.places.has(this.#place + 1)) this.#go(this.#place + 1);
    else if (this.#place !== null) this.#next();
  }

  #undo() {
    if (!this.#opening.open) return;
    this.#leaveNote();
    this.#shift(this.#book.undo());
  }

  #redo() {
    if (!this.#opening.open) return;
    this.#shift(this.#book.redo());
  }

  #shift(action) {
    if (!action) return this.#panes.notice.show(this.#say.nothingToUndo);
    if (action.place === this.#place) {
      this.#question = action.question;
      return this.#refresh();
    }
    return this.#go(action.place, action.question);
  }

  #leaveNote() {
    const open = this.#panes.questions.openNote();
    if (open && this.#place !== null) this.#note(open.number, open.text);
  }

  async #skip(number) {
    if (!this.#opening.open) return;
    const place = this.#place;
    if (isSkipped(this.#book.cell(place, number))) {
      this.#write(number, { skipped: null }, this.#say.cleared);
      this.#refresh();
      return;
    }
    const why = await askSkip(this.#say);
    if (this.#place !== place) return;
    if (why === null || !this.#opening.open) return this.#panes.questions.focus(number);
    this.#write(number, { answer: null, strength: null, skipped: why, seconds: this.#seconds(number) }, this.#say.skip);
    this.#onward(number);
  }

  #flag(number) {
    const flag = !this.#book.cell(this.#place, number).flag;
    this.#write(number, { flag }, this.#say.didFlag(flag));
    this.#question = number;
    this.#refresh();
  }

  // No new drawing here: the note may be left by a click on something that would be gone.
  #note(number, text, place = this.#place) {
    if (place === null || place !== this.#place) return;
    const note = text.trim() ? text : null;
    if (this.#write(number, { note }, this.#say.didNote)) this.#count();
  }

  #mark(number) {
    const evidence = this.#evidence.marked(number, this.#book.cell(this.#place, number).evidence);
    if (evidence === null) return;
    this.#write(number, { evidence }, this.#say.didMark);
    this.#refresh();
  }

  #unmark(number, mark) {
    const { evidence } = this.#book.cell(this.#place, number);
    this.#write(number, { evidence: evidence.filter((other) => !same(other, mark)) }, this.#say.didMark);
    this.#refresh();
  }

  #focus(number) {
    if (this.#question === number) return;
    this.#question = number;
    this.#panes.questions.mark(number);
  }

  async #help() {
    await help(this.#say, this.#say.help, preferences.switches(this.#say));
    this.#refresh();
  }

  #closed() {
    if (!this.#opening.open) return;
    this.#opening.open = false;
    this.#panes.notice.keep(this.#say.stillClosed(this.#outbox.waiting));
    this.#touched(this.#place);
  }

  // Keys.

  #keysHere(event, number) {
    const answers = this.#opening.open ? choices(this.#opening.questions[number], this.#book.places.get(this.#place).kind, this.#say) : [];
    return {
      S: () => this.#skip(number), F: () => this.#flag(number), N: () => this.#panes.questions.focusNote(number), E: () => this.#mark(number),
      ArrowRight: () => (event.shiftKey ? this.#follow() : this.#next()),
      ...scrolling(event, this.#panes.item),
      ...(preferences.advance || onControl(event) ? {} : { Enter: () => this.#next() }),
      ...this.#evidence.keys(event),
      ...Object.fromEntries(answers.filter(({ key }) => key).map((choice) => [choice.key, () => this.#choose(number, choice)])),
    };
  }

  #key(event) {
    if (!this.#panes.main.isConnected || inTextField(event.target) || document.querySelector("dialog[open]")) return;
    const name = pressed(event);
    if (!name) return;
    const always = { "?": () => this.#help(), U: () => this.#undo(), R: () => this.#redo(), ArrowLeft: () => this.#back(), M: () => preferences.flip("mono") };
    const here = this.#place === null ? {} : this.#keysHere(event, this.#question);
    const act = here[name] ?? always[name] ?? (name === "ArrowRight" ? () => this.#next() : null);
    if (!act) return;
    event.preventDefault();
    if (!event.repeat || ["ArrowUp", "ArrowDown", "PageUp", "PageDown"].includes(name)) act();
  }
}
