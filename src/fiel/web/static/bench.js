// The adjudicator at work: which cell is open, the decision being made on it, and the way to the next.

import { pause } from "./api.js";
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
import { Cells } from "./cells.js";
import { BottomStrip, TopStrip } from "./strips.js";

const NOTHING = { answer: null, skipped: null, reason: null, note: null };

export class Bench {
  #api;
  #say;
  #opening;
  #outbox;
  #queue = [];
  #cells;
  #drafts = new Map(); // cell -> what is being decided, not saved yet
  #done = []; // [{n, before, after}]
  #undone = [];
  #n = null; // the cell that is wanted
  #at = null; // the cell that is on the screen, and is decided by keys; null while another is on its way
  #panes;

  constructor({ api, opening, outbox, say }) {
    this.#api = api;
    this.#say = say;
    this.#opening = opening;
    this.#outbox = outbox;
    this.#cells = new Cells(api, outbox);
  }

  // The queue, and the page around it; false where this link opens nothing.
  async prepare() {
    for (;;) {
      const { status, body } = await this.#api.get("/api/queue");
      if (status === 200) {
        this.#queue = body.queue;
        break;
      }
      if (status === 401) {
        alone(this.#say.goneTitle, this.#say.goneText);
        return false;
      }
      await pause();
    }
    this.#build();
    return true;
  }

  begin() {
    for (const { n } of this.#queue) {
      const waiting = this.#outbox.last(`cell/${n}`);
      if (waiting) this.#set(n, waiting.body.reason !== null);
    }
    document.addEventListener("keydown", (event) => this.#key(event));
    this.changed();
    const wanted = Number(/^#(\d{1,9})$/.exec(location.hash)?.[1] ?? 0) - 1;
    const first = this.#queue.some(({ n }) => n === wanted) ? wanted : this.#panes.queue.nextOpen(null);
    return first === null ? this.#finished() : this.#go(first);
  }

  // What the outbox tells.

  changed() {
    const { state, waiting } = this.#outbox;
    this.#panes.top.state(state, state === "offline" ? this.#say.offline(waiting) : this.#say[state]);
    if (state === "closed" && this.#opening.open) {
      this.#opening.open = false;
      this.#panes.notice.keep(this.#say.stillClosed(waiting));
    }
  }

  saved({ cell, n, body }, { version }) {
    if (this.#outbox.last(cell)) return;
    const { decision } = this.#cells.get(n) ?? {};
    if (decision) decision.version = version;
    this.#set(n, body.reason !== null);
    this.#renew(n); // names may be told now
  }

  async conflict({ cell, n }, current) {
    const shown = await this.#cell(n, () => true);
    const mine = () => this.#outbox.last(cell).body;
    const alike = current !== null && Object.entries(mine()).every(([name, value]) => value === current[name]);
    const told = (decision) => this.#worded(decision, shown);
    const choice = alike || !shown ? "other" : await askConflict(this.#say, () => ({
      title: this.#say.conflictTitle, text: this.#say.adjudicationConflict, mine: told(mine()), other: told({ ...NOTHING, ...current }),
    }));
    this.#outbox.settle(cell, choice, current?.version ?? 0);
    if (choice === "other") {
      if (shown) this.#cells.get(n).decision = current;
      if (!alike) this.#drafts.delete(n);
      this.#forget(n);
      this.#set(n, Boolean(current?.reason));
    }
    this.#redraw(n);
    await this.#renew(n);
  }

  async refused({ n, base }, { error }) {
    this.#panes.notice.keep(`${this.#say.cell(n + 1)}: ${error ?? ""}`);
    this.#forget(n);
    const { decision } = this.#cells.get(n) ?? {};
    if (decision) decision.version = base;
    await this.#renew(n);
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

  #cell(n, wanted) {
    return this.#cells.reach(n, wanted, (error) => this.#panes.notice.show(error ?? this.#say.unreachable));
  }

  // Read a cell again, and draw it around what is being done there.
  async #renew(n) {
    const problem = await this.#cells.renew(n);
    if (problem?.gone) this.#lose(n);
    if (problem) return;
    this.#set(n, Boolean(this.#cells.get(n).decision?.reason));
    this.#redraw(n);
  }

  // A cell is in the queue no more.
  #lose(n) {
    this.#cells.lose(n);
    this.#drafts.delete(n);
    this.#forget(n);
    this.#queue = this.#queue.filter((entry) => entry.n !== n);
    if (this.#at === n) this.#veil();
    if (this.#n === n) this.#next();
    this.#lists();
  }

  // What was done to a cell cannot be undone any more.
  #forget(n) {
    this.#done = this.#done.filter((one) => one.n !== n);
    this.#undone = this.#undone.filter((one) => one.n !== n);
    this.#lists();
  }

  async #go(n) {
    this.#leave();
    this.#n = n;
    if (!this.#cells.get(n)) this.#veil();
    const cell = this.#cells.get(n) ?? await this.#cell(n, () => this.#n === n);
    if (this.#n !== n || !cell) return;
    history.replaceState(null, "", `#${n + 1}`);
    fill(this.#panes.main, this.#panes.queue.element, this.#panes.centre, this.#panes.decision.element);
    this.#panes.main.className = `desk bench of-${cell.kind}`;
    this.#show(cell);
    this.#panes.item.top();
    this.#panes.decision.focus();
    this.#panes.top.speak(this.#say.cell(n + 1));
    const following = this.#panes.queue.nextOpen(n);
    if (following !== null && following !== n) this.#cell(following, () => false);
  }

  // Nothing to decide on the screen: the cell that was there is left, and the next is on its way.
  #veil(veiled = true) {
    if (veiled) this.#at = null;
    for (const pane of [this.#panes.centre, this.#panes.decision.element]) pane.style.visibility = veiled ? "hidden" : "";
  }

  #redraw(n) {
    if (this.#at === n) this.#panes.decision.around(() => this.#show(this.#cells.get(n)));
  }

  #show(cell) {
    const say = this.#say;
    this.#at = cell.n;
    this.#veil(false);
    const marks = cell.cards.flatMap(({ letter, evidence }) => evidence.map((mark) => ({ ...mark, letter, style: `own by-${letter}` })));
    const head = h("div", { class: "head" }, h("p", { class: "quiet" }, say.cell(cell.n + 1)), preferences.toggle(say));
    this.#panes.item.element.dataset.cell = String(cell.n);
    this.#panes.item.show({ ...cell, place: cell.n }, marks, head);
    fill(this.#panes.raters, cards(say, cell));
    this.#panes.decision.show(cell, this.#draft(cell), this.#opening.open && cell.open);
    this.#lists();
  }

  #finished() {
    const say = this.#say;
    this.#leave();
    this.#n = this.#at = null;
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
    const cell = this.#cells.get(this.#at);
    if (!cell || !cell.open || !this.#opening.open) return;
    this.#drafts.set(cell.n, { ...this.#draft(cell), ...change });
    this.#panes.decision.show(cell, this.#draft(cell), true);
    this.#panes.decision.focus();
  }

  #choose({ answer, skipped }) {
    if (this.#at === null) return;
    const { reason } = this.#draft(this.#cells.get(this.#at));
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
    if (text !== null && this.#at !== null) this.#note(text, this.#at);
  }

  #save() {
    this.#leave();
    const cell = this.#cells.get(this.#at);
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
    if (!this.#queue.some((entry) => entry.n === n && (entry.decided !== decided || entry.changed))) return;
    this.#queue = this.#queue.map((entry) => (entry.n === n ? { ...entry, decided, changed: false } : entry));
    this.#lists();
  }

  #step(from, to, side) {
    if (!this.#opening.open) return null;
    const action = from.at(-1);
    if (!action) return this.#panes.notice.show(this.#say.nothingToUndo);
    to.push(from.pop());
    this.#send(this.#cells.get(action.n), action[side]);
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
    if (this.#at !== null) {
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
