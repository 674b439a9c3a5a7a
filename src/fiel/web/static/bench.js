// The adjudicator at work: which cell is open, the decision being made on it, and the way to the next.

import { askConflict, help } from "./dialogs.js";
import { DecisionPane, REASONS, without } from "./decision.js";
import { fill, h, inTextField, pressed } from "./dom.js";
import { ItemPane, scrolling } from "./item.js";
import { Notice } from "./notice.js";
import { alone, page } from "./opened.js";
import { worded } from "./options.js";
import { preferences } from "./preferences.js";
import { QueuePane } from "./queue.js";
import { cards } from "./cards.js";
import { BottomStrip, TopStrip } from "./strips.js";

const NOTHING = { answer: null, skipped: null, reason: null, note: null };

export class Bench {
  #api;
  #say;
  #opening;
  #outbox;
  #queue = [];
  #cells = new Map();
  #drafts = new Map(); // cell -> what is being decided, not saved yet
  #done = []; // [{n, before, after}]
  #undone = [];
  #n = null;
  #panes;

  constructor({ api, opening, outbox, say }) {
    this.#api = api;
    this.#say = say;
    this.#opening = opening;
    this.#outbox = outbox;
  }

  async begin() {
    for (;;) {
      const { status, body } = await this.#api.get("/api/queue");
      if (status === 200) {
        this.#queue = body.queue;
        break;
      }
      if (status === 401) return alone(this.#say.goneTitle, this.#say.goneText);
      await new Promise((wake) => setTimeout(wake, 2000));
    }
    this.#build();
    document.addEventListener("keydown", (event) => this.#key(event));
    this.changed();
    const wanted = Number(/^#(\d{1,9})$/.exec(location.hash)?.[1] ?? 0) - 1;
    const first = this.#queue.some(({ n }) => n === wanted) ? wanted : this.#panes.queue.nextOpen(null);
    return first === null ? this.#finished() : this.#go(first);
  }

  // What the outbox tells.

  changed() {
    if (!this.#panes) return;
    const { state, waiting } = this.#outbox;
    this.#panes.top.state(state, state === "offline" ? this.#say.offline(waiting) : this.#say[state]);
    if (state === "closed" && this.#opening.open) {
      this.#opening.open = false;
      this.#panes.notice.keep(this.#say.stillClosed(waiting));
    }
  }

  async saved({ n }) {
    if (this.#outbox.last(`cell/${n}`)) return;
    this.#cells.delete(n); // names may be told now
    if (this.#n === n) await this.#go(n, { quiet: true });
  }

  async conflict(write, current) {
    const cell = await this.#cell(write.n);
    const told = (decision) => this.#worded(decision, cell);
    const choice = await askConflict(this.#say, {
      title: this.#say.conflictTitle, text: this.#say.adjudicationConflict, mine: told(write.body), other: told({ ...NOTHING, ...current }),
    });
    await this.#outbox.settle(write.cell, choice, current?.version ?? 0);
    if (choice === "other") this.#set(write.n, Boolean(current?.reason));
    this.#cells.delete(write.n);
    this.#drafts.delete(write.n);
    if (this.#n === write.n) await this.#go(write.n);
  }

  async refused({ n }, { error }) {
    this.#panes.notice.keep(`${this.#say.cell(n + 1)}: ${error ?? ""}`);
    this.#cells.delete(n);
    this.#done = this.#done.filter((one) => one.n !== n);
    const { status, body } = await this.#api.get("/api/queue");
    if (status === 200) this.#queue = body.queue;
    await this.#go(n);
  }

  // The page.

  #build() {
    const say = this.#say;
    const act = {
      choose: (choice) => this.#choose(choice), reason: (reason) => this.#reason(reason),
      note: (text, n) => this.#note(text, n), save: () => this.#save(),
    };
    this.#panes = {
      top: new TopStrip(say, `${this.#opening.study} · ${say.adjudication}`, this.#opening.name, () => help(say, say.adjudicationHelp)),
      queue: new QueuePane(say, (n) => this.#go(n)),
      item: new ItemPane(say),
      decision: new DecisionPane(say, act),
      bottom: new BottomStrip({ ...say, back: say.previous, next: say.following, did: (n, what) => `${say.cell(n)} → ${what}` },
        { back: () => this.#back(), undo: () => this.#step(this.#done, this.#undone, "before"), redo: () => this.#step(this.#undone, this.#done, "after"), next: () => this.#next() }),
      notice: new Notice(say),
      finish: h("section", { class: "finish", tabindex: "-1" }),
    };
    this.#panes.raters = h("section", { class: "raters", tabindex: "0", role: "region", "aria-label": say.answers });
    this.#panes.centre = h("div", { class: "centre" }, this.#panes.item.element, this.#panes.raters);
    this.#panes.main = h("main", { class: "desk bench" });
    fill(page(), this.#panes.top.element, this.#panes.main, this.#panes.notice.element, this.#panes.bottom.element);
    preferences.apply();
    this.#lists();
  }

  #lists() {
    this.#panes.queue.show(this.#queue, this.#n);
    const done = this.#queue.filter(({ decided }) => decided).length;
    this.#panes.top.count(done, this.#queue.length, this.#say.counter(done, this.#queue.length));
    const told = (action, side) => action && { place: action.n, what: action.words[side] };
    this.#panes.bottom.show(told(this.#done.at(-1), "after"), told(this.#undone.at(-1), "before"));
  }

  async #cell(n) {
    if (!this.#cells.has(n)) {
      const { status, body } = await this.#api.get(`/api/cells/${n}`);
      if (status !== 200) {
        this.#panes.notice.show(body.error ?? this.#say.unreachable);
        return null;
      }
      const waiting = this.#outbox.last(`cell/${n}`);
      this.#cells.set(n, waiting ? { ...body, decision: { version: waiting.base + 1, ...waiting.body } } : body);
    }
    return this.#cells.get(n);
  }

  async #go(n, { quiet = false } = {}) {
    this.#leave();
    this.#n = n;
    const cell = await this.#cell(n);
    if (this.#n !== n || cell === null) return;
    history.replaceState(null, "", `#${n + 1}`);
    fill(this.#panes.main, this.#panes.queue.element, this.#panes.centre, this.#panes.decision.element);
    this.#panes.main.className = `desk bench of-${cell.kind}`;
    this.#show(cell);
    if (!quiet) {
      this.#panes.item.top();
      this.#panes.decision.focus();
      this.#panes.top.speak(this.#say.cell(n + 1));
    }
    const following = this.#panes.queue.nextOpen(n);
    if (following !== null && following !== n) this.#cell(following);
  }

  #show(cell) {
    const say = this.#say;
    const marks = cell.cards.flatMap(({ letter, evidence }) => evidence.map((mark) => ({ ...mark, letter, style: `own by-${letter}` })));
    const head = h("div", { class: "head" }, h("p", { class: "quiet" }, say.cell(this.#n + 1)), preferences.toggle(say));
    this.#panes.item.element.dataset.cell = String(this.#n);
    this.#panes.item.show({ ...cell, place: cell.n }, marks, head);
    fill(this.#panes.raters, cards(say, cell));
    this.#panes.decision.show(cell, this.#draft(cell), this.#opening.open && cell.open);
    this.#lists();
  }

  #finished() {
    const say = this.#say;
    this.#leave();
    this.#n = null;
    history.replaceState(null, "", location.pathname);
    this.#panes.main.className = "desk bench finished";
    fill(this.#panes.main, this.#panes.queue.element, this.#panes.finish);
    fill(this.#panes.finish, h("h1", {}, this.#queue.length ? say.noneLeft : say.noCells), h("p", {}, this.#opening.open ? say.endOpen : say.closedText));
    this.#lists();
    this.#panes.finish.focus();
  }

  // The decision.

  #draft(cell) {
    return this.#drafts.get(cell.n) ?? { ...NOTHING, ...cell.decision };
  }

  #edit(change) {
    const cell = this.#cells.get(this.#n);
    if (!cell || !cell.open || !this.#opening.open) return;
    this.#drafts.set(this.#n, { ...this.#draft(cell), ...change });
    this.#panes.decision.show(cell, this.#draft(cell), true);
    this.#panes.decision.focus();
  }

  #choose({ answer, skipped }) {
    const { reason } = this.#draft(this.#cells.get(this.#n));
    this.#edit({ answer, skipped, reason: without(reason) ? null : reason });
  }

  #reason(reason) {
    this.#edit(without(reason) ? { reason, answer: null, skipped: null } : { reason });
  }

  #note(text, n) {
    const cell = this.#cells.get(n);
    const note = text.trim() ? text : null;
    if (cell && this.#draft(cell).note !== note) this.#drafts.set(n, { ...this.#draft(cell), note });
  }

  #leave() {
    const text = this.#panes.decision.openNote();
    if (text !== null && this.#n !== null) this.#note(text, this.#n);
  }

  #save() {
    this.#leave();
    const cell = this.#cells.get(this.#n);
    if (!cell || !cell.open || !this.#opening.open) return;
    const { answer, skipped, reason, note } = this.#draft(cell);
    const decided = answer ?? skipped;
    const given = cell.cards.map((card) => card.answer ?? card.skipped);
    const missing = !reason ? (decided === null ? "answerNeeded" : "reasonNeeded")
      : decided === null && !without(reason) ? "answerNeeded"
        : decided !== null && !given.includes(decided) && !note ? "noteNeeded" : null;
    if (missing) {
      this.#panes.notice.show(this.#say[missing]);
      if (missing === "noteNeeded") this.#panes.decision.focusNote();
      return;
    }
    const before = { ...NOTHING, ...cell.decision };
    const after = { answer, skipped, reason, note };
    this.#done.push({ n: cell.n, before, after, words: { before: this.#worded(before, cell), after: this.#worded(after, cell) } });
    this.#undone = [];
    this.#send(cell, after);
    this.#next();
  }

  #send(cell, { answer, skipped, reason, note }) {
    const ahead = this.#outbox.last(`cell/${cell.n}`);
    const base = ahead ? ahead.base + 1 : (cell.decision?.version ?? 0);
    const body = { answer, skipped, reason, note };
    cell.decision = { version: base + 1, ...body };
    this.#drafts.delete(cell.n);
    this.#set(cell.n, reason !== null);
    this.#outbox.add({ cell: `cell/${cell.n}`, n: cell.n, base, body });
  }

  #set(n, decided) {
    this.#queue = this.#queue.map((entry) => (entry.n === n ? { ...entry, decided, changed: false } : entry));
    this.#lists();
  }

  async #step(from, to, side) {
    const action = from.at(-1);
    if (!action) return this.#panes.notice.show(this.#say.nothingToUndo);
    const cell = await this.#cell(action.n);
    if (cell === null || from.at(-1) !== action) return null;
    to.push(from.pop());
    this.#send(cell, action[side]);
    return this.#go(action.n);
  }

  #worded(decision, cell) {
    const say = this.#say;
    if (!decision.reason) return say.undone;
    const answer = worded({ ...decision, strength: null }, { ...cell.question }, cell.kind, say);
    const known = Object.hasOwn(say.parts, decision.answer ?? "") && cell.kind === "pair" ? say.parts[decision.answer] : answer;
    return [known, say.decisionReasons[decision.reason]].filter(Boolean).join(" · ");
  }

  #next() {
    const n = this.#panes.queue.nextOpen(this.#n);
    if (n === null || (n === this.#n && this.#queue.find((entry) => entry.n === n)?.decided)) this.#finished();
    else if (n !== this.#n) this.#go(n);
  }

  #back() {
    const n = this.#n === null ? this.#panes.queue.cells.at(-1)?.n : this.#panes.queue.previous(this.#n);
    if (n !== null && n !== undefined) this.#go(n);
  }

  // Keys.

  #key(event) {
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.repeat) {
      event.preventDefault();
      this.#save();
      return;
    }
    if (inTextField(event.target)) return;
    const name = pressed(event);
    if (!name) return;
    const keys = {
      "?": () => help(this.#say, this.#say.adjudicationHelp), M: () => preferences.flip("mono"),
      U: () => this.#step(this.#done, this.#undone, "before"), R: () => this.#step(this.#undone, this.#done, "after"),
      ArrowLeft: () => this.#back(), ArrowRight: () => this.#next(),
    };
    if (this.#n !== null && this.#cells.has(this.#n)) {
      keys.N = () => this.#panes.decision.focusNote();
      for (const choice of this.#panes.decision.choices) if (choice.key) keys[choice.key] = () => this.#choose(choice);
      for (const [key, reason] of REASONS) keys[key] = () => this.#reason(reason);
      Object.assign(keys, scrolling(event, this.#panes.item));
    }
    if (!keys[name] || (event.repeat && !["ArrowUp", "ArrowDown", "PageUp", "PageDown"].includes(name))) return;
    event.preventDefault();
    keys[name]();
  }
}
