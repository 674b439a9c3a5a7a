// Answers on their way: into this browser's database and to the server, again and again until it has them. A write
// carries a key of its own, so that sending it twice keeps it once. Nothing waits for the database: a disk may stand still.

import { randomKey } from "./dom.js";

const AT_ONCE = 6;
const PAUSES = [400, 800, 1500, 3000, 5000];
const PATIENCE = 8000; // for a database that does not open
const STORE = "writes";

function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function openDatabase(name) {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "key" });
  return done(request);
}

async function read(name) {
  const database = await openDatabase(name);
  return { database, left: await done(database.transaction(STORE).objectStore(STORE).getAll()) };
}

export class Outbox {
  #api;
  #path;
  #database = null;
  #queue = []; // in the order they were made
  #flying = new Set();
  #failures = 0;
  #timer = null;
  #held = new Set(); // cells that wait for somebody's choice
  #stopped = null; // why nothing is taken any more
  #on;

  // on: {change(), saved(write, body), conflict(write, current), refused(write, body)}
  constructor(api, path, on) {
    this.#api = api;
    this.#path = path;
    this.#on = on;
    addEventListener("online", () => this.#retry());
    addEventListener("focus", () => this.#retry());
  }

  async open(name) {
    try {
      const late = new Promise((_, reject) => setTimeout(reject, PATIENCE));
      const { database, left } = await Promise.race([read(name), late]);
      this.#database = database;
      this.#queue = left.sort((a, b) => a.made - b.made || a.order - b.order);
    } catch {
      this.#database = null; // a browser that keeps nothing: answers wait in memory alone
    }
    this.#pump();
  }

  get waiting() {
    return this.#queue.length;
  }

  get durable() {
    return this.#database !== null;
  }

  get state() {
    if (this.#stopped) return this.#stopped;
    if (this.#held.size) return "conflict";
    if (!this.#queue.length) return "saved";
    return this.#failures ? "offline" : "saving";
  }

  // The last write that waits for a cell, or null.
  last(cell) {
    return this.#queue.findLast((write) => write.cell === cell) ?? null;
  }

  add(write) {
    const entry = { ...write, key: randomKey(), made: Date.now(), order: performance.now() };
    this.#queue.push(entry);
    this.#on.change();
    this.#store((store) => store.put(entry));
    this.#pump();
  }

  // What was chosen in a conflict: mine goes again on top of what stands there, the other drops mine.
  settle(cell, choice, version) {
    const mine = this.#of(cell);
    if (choice === "mine") {
      for (const [index, write] of mine.entries()) write.base = version + index; // all at once: a write made meanwhile counts on them
      this.#store((store) => mine.forEach((write) => store.put(write)));
    } else {
      this.#remove(mine);
    }
    this.#held.delete(cell);
    this.#on.change();
    this.#pump();
  }

  #retry() {
    if (!this.#queue.length) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#stopped = null;
    this.#pump();
  }

  #pump() {
    if (this.#timer || this.#stopped) return;
    const width = this.#failures ? 1 : AT_ONCE;
    const taken = new Set([...this.#flying].map((write) => write.cell));
    for (const write of this.#queue) {
      if (this.#flying.size >= width) break;
      if (taken.has(write.cell)) continue; // in order within a cell
      taken.add(write.cell);
      if (!this.#held.has(write.cell)) this.#send(write);
    }
  }

  async #send(write) {
    this.#flying.add(write);
    const { status, body } = await this.#api.put(this.#path(write), { ...write.body, key: write.key }, write.base);
    this.#flying.delete(write);
    if (this.#queue.includes(write)) this.#arrived(write, status, body);
    this.#on.change();
    this.#pump();
  }

  #arrived(write, status, body) {
    if (status === 200) {
      this.#failures = 0;
      this.#remove([write]);
      this.#on.saved(write, body); // in one breath with leaving the queue: a write made meanwhile stands on this version
    } else if (status === 409) {
      this.#failures = 0;
      this.#held.add(write.cell);
      this.#on.conflict(write, body.current);
    } else if (status === 401 || status === 403) {
      this.#stopped = status === 403 && body.closed ? "closed" : "refused";
      this.#later(30_000);
    } else if (status === 0 || status === 429 || status >= 500) {
      this.#failures += 1;
      if (status >= 500) this.#queue = [...this.#queue.filter((one) => one.cell !== write.cell), ...this.#of(write.cell)]; // it may be this one alone
      this.#later(PAUSES[Math.min(this.#failures, PAUSES.length) - 1]);
    } else {
      this.#remove(this.#of(write.cell));
      this.#on.refused(write, body);
    }
  }

  #later(pause) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#stopped = null;
      this.#pump();
    }, pause);
  }

  #of(cell) {
    return this.#queue.filter((write) => write.cell === cell);
  }

  // Out of the queue at once, out of the database when it comes to that.
  #remove(writes) {
    this.#queue = this.#queue.filter((one) => !writes.includes(one));
    this.#store((store) => writes.forEach((write) => store.delete(write.key)));
  }

  // The database does these in their order; each is on its way at once, as the page may be closed in the next moment.
  #store(change) {
    if (!this.#database) return;
    try {
      const transaction = this.#database.transaction(STORE, "readwrite");
      transaction.onabort = () => {
        this.#database = null;
        this.#on.change();
      };
      change(transaction.objectStore(STORE));
      transaction.commit();
    } catch {
      this.#database = null;
    }
  }
}
