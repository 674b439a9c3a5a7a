// The cells of a queue as the server tells them, with the decisions that are on their way to it. Knows no page.

import { pause } from "./api.js";

export class Cells {
  #api;
  #outbox;
  #known = new Map();
  #reading = new Map(); // cell -> its first reading, under way

  constructor(api, outbox) {
    this.#api = api;
    this.#outbox = outbox;
  }

  // The cell as it is known here, or undefined.
  get(n) {
    return this.#known.get(n);
  }

  lose(n) {
    this.#known.delete(n);
  }

  // A cell, asked for until it is there; null where the server has none, or wanted() is false by then.
  async reach(n, wanted, trouble) {
    while (!this.#known.has(n)) {
      if (!this.#reading.has(n)) this.#reading.set(n, this.#read(n).finally(() => this.#reading.delete(n)));
      const problem = await this.#reading.get(n);
      if (!problem) break;
      if (!wanted()) return null;
      trouble(problem.error);
      if (!problem.passes) return null;
      await pause();
      if (!wanted()) return null;
    }
    return this.#known.get(n);
  }

  // Read a cell again until that succeeds; what is known stays meanwhile. Null, or why the server has it no more.
  async renew(n) {
    let problem = await this.#read(n);
    while (problem?.passes) {
      await pause();
      problem = await this.#read(n);
    }
    return problem;
  }

  // Null once it is read, otherwise what is in the way.
  async #read(n) {
    const { status, body } = await this.#api.get(`/api/cells/${n}`);
    if (status !== 200) return { error: body.error, passes: status === 0 || status === 429 || status >= 500, gone: status === 404 };
    const waiting = this.#outbox.last(`cell/${n}`);
    const known = this.#known.get(n)?.decision?.version ?? 0;
    if (waiting) body.decision = { version: waiting.base + 1, ...waiting.body };
    else if ((body.decision?.version ?? 0) < known) return null; // read before what was decided here had arrived
    this.#known.set(n, body);
    return null;
  }
}
