// What this rater's places hold and how far he is: answers as they stand, those on their way included; undo and redo.

import { pause, shortName } from "./api.js";

export const NOT_APPLICABLE = "not applicable";
const CHUNK = 50;
export const BLANK = { answer: null, skipped: null, strength: null, flag: false, note: null, evidence: [], seconds: null };

export const isAnswered = (entry) => entry.answer !== null || entry.skipped === NOT_APPLICABLE;
export const isSkipped = (entry) => entry.skipped !== null && entry.skipped !== NOT_APPLICABLE;
export const isDone = (entry) => entry.answer !== null || entry.skipped !== null;
export const cellName = (place, question) => `${place}/${question}`;

export function content(entry) {
  const { answer, skipped, strength, flag, note, evidence } = entry;
  return { answer, skipped, strength, flag, note, evidence };
}

const sameContent = (a, b) => JSON.stringify(content(a)) === JSON.stringify(content(b));

export class Book {
  places = new Map();
  #api;
  #questions;
  #size;
  #outbox;
  #undo = [];
  #redo = [];
  #loading = null;
  #early = new Map(); // cell -> what arrived for a place that was not read yet

  constructor(api, opening, outbox) {
    this.#api = api;
    this.#questions = opening.questions;
    this.#size = opening.places;
    this.total = opening.total;
    this.#outbox = outbox;
  }

  get size() {
    return this.#size;
  }

  get undone() {
    return this.#redo.at(-1) ?? null;
  }

  get last() {
    return this.#undo.at(-1) ?? null;
  }

  // Read the places from `start` on; true where they are there.
  async load(start) {
    const { status, body } = await this.#api.get(`/api/places?start=${start}&count=${CHUNK}`);
    if (status !== 200) return { ok: false, status, body };
    for (const place of body.places) {
      if (!this.places.has(place.place)) this.places.set(place.place, this.#opened(place));
    }
    return { ok: true, status, body };
  }

  // Read everything, from the beginning to `until` first; calls `step` after each part. One reading at a time.
  async loadAll(step, failed) {
    if (this.#loading) return;
    this.#loading = true;
    while (this.places.size < this.#size) {
      const start = this.#firstMissing();
      const { ok, status, body } = await this.load(start);
      if (ok && this.places.has(start)) step();
      else {
        failed(status, body);
        if (status === 401 || status === 403 || status === 404) break;
        await pause();
      }
    }
    this.#loading = null;
  }

  cell(place, question) {
    return this.places.get(place).cells[question];
  }

  // Put an entry into a cell, and send it.
  write(place, question, change, what, { remember = true } = {}) {
    const before = this.cell(place, question);
    const after = { ...before, ...change };
    if (sameContent(before, after)) return false;
    if (remember) {
      this.#undo.push({ place, question, before, after, what });
      this.#redo = [];
    }
    this.#send(place, question, after);
    return true;
  }

  undo() {
    return this.#step(this.#undo, this.#redo, "before");
  }

  redo() {
    return this.#step(this.#redo, this.#undo, "after");
  }

  // The server has it: what stands there has this version now. False where it was sent twice and something later stands
  // there: the place is to be read again.
  saved(write, version) {
    const cell = this.places.get(write.place)?.cells[write.question];
    if (cell && version < cell.version) return false;
    if (cell) cell.version = version;
    else this.#early.set(write.cell, { ...write.body, version });
    return true;
  }

  // Something else stands there: take it, and forget what was done to this cell.
  take(write, standing) {
    const place = this.places.get(write.place);
    this.forget(write);
    if (place) place.cells[write.question] = { ...BLANK, version: 0, ...standing };
    else this.#early.set(write.cell, standing);
  }

  // What was done to a cell cannot be undone any more.
  forget({ place, question }) {
    const other = (one) => one.place !== place || one.question !== question;
    this.#undo = this.#undo.filter(other);
    this.#redo = this.#redo.filter(other);
  }

  // What stands on the server after all for one place: read again, until it is there.
  async reread(place) {
    for (;;) {
      const { status, body } = await this.#api.get(`/api/places?start=${place}&count=1`);
      if (status === 200) return this.#replace(body.places[0]);
      if (status === 401 || status === 403 || status === 404) return;
      await pause();
    }
  }

  // What arrived meanwhile is later than what the server read before.
  #replace(told) {
    const { cells } = this.places.get(told.place) ?? { cells: [] };
    const place = this.#opened(told);
    place.cells = place.cells.map((cell, number) => (cells[number]?.version > cell.version ? cells[number] : cell));
    this.places.set(told.place, place);
  }

  isDone(place) {
    return this.places.get(place)?.cells.every(isDone) ?? false;
  }

  // The first place after `from` that is not done, the search going round; null where there is none.
  nextOpen(from) {
    for (let step = 1; step <= this.#size; step += 1) {
      const place = (from + step + this.#size) % this.#size;
      if (this.places.has(place) && !this.isDone(place)) return place;
    }
    return null;
  }

  get complete() {
    return this.places.size === this.#size;
  }

  // Counted places: how many are done, and which are skipped or flagged.
  summary() {
    const counted = [...this.places.values()].filter((place) => place.counted);
    const of = (test) => counted.filter(({ cells }) => cells.some(test)).map(({ place }) => place).sort((a, b) => a - b);
    return { done: counted.filter(({ cells }) => cells.every(isDone)).length, skipped: of(isSkipped), flagged: of(({ flag }) => flag) };
  }

  #opened({ given, ...place }) {
    const cells = this.#questions.map(({ id, number }) => {
      const cell = cellName(place.place, number);
      const early = this.#early.get(cell); // it may have arrived after the server read what it told here
      const standing = early && early.version > (given[id]?.version ?? 0) ? early : given[id];
      return { ...BLANK, version: 0, ...standing, ...this.#outbox.last(cell)?.body };
    });
    return { ...place, cells };
  }

  #firstMissing() {
    for (let place = 0; place < this.#size; place += 1) if (!this.places.has(place)) return place;
    return 0;
  }

  #step(from, to, side) {
    const action = from.pop();
    if (!action) return null;
    to.push(action);
    this.#send(action.place, action.question, { ...content(action[side]), seconds: action[side].seconds });
    return action;
  }

  #send(place, question, entry) {
    const { version } = this.cell(place, question);
    this.places.get(place).cells[question] = { ...entry, version };
    const cell = cellName(place, question);
    const ahead = this.#outbox.last(cell);
    this.#outbox.add({
      cell, place, question,
      base: ahead ? ahead.base + 1 : version,
      body: { ...content(entry), seconds: Math.min(entry.seconds ?? 0, 86_000) },
    });
  }
}

// Names nothing but this link's own drawer in the browser.
export const drawer = (token) => `fiel-${shortName(token)}`;
