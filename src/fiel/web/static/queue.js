// The list of cells that wait for a decision: filters, an order, and which of them is open.

import { fill, h } from "./dom.js";

export class QueuePane {
  element;
  #say;
  #open;
  #kind = "all";
  #order = "spread";
  #list = h("ul", { class: "cells" });
  #count = h("p", { class: "lead" });
  #chips = h("div", { class: "chips", role: "group" });
  #entries = [];
  #at = null;

  // open(n): show this cell.
  constructor(say, open) {
    this.#say = say;
    this.#open = open;
    this.#chips.setAttribute("aria-label", say.queue);
    const order = h("select", { "aria-label": say.queue, onchange: () => { this.#order = order.value; this.#draw(); } },
      h("option", { value: "spread" }, say.sortSpread), h("option", { value: "none" }, say.sortRandom));
    this.element = h("nav", { class: "queue", "aria-label": say.queue }, h("div", { class: "queue-head" }, this.#count, this.#chips, order), this.#list);
  }

  show(entries, at) {
    this.#entries = entries;
    this.#at = at;
    this.#draw();
  }

  // The cells of the list as it is filtered and sorted.
  get cells() {
    const chosen = this.#entries.filter(({ kinds }) => this.#kind === "all" || kinds.includes(this.#kind));
    return this.#order === "spread" ? chosen : chosen.toSorted((a, b) => a.n - b.n);
  }

  // The next one after `n` that is open, the search going round; null where there is none.
  nextOpen(n) {
    const { cells } = this;
    const from = cells.findIndex((entry) => entry.n === n);
    const round = [...cells.slice(from + 1), ...cells.slice(0, from + 1)];
    return round.find((entry) => !entry.decided || entry.changed)?.n ?? null;
  }

  previous(n) {
    const { cells } = this;
    return cells[cells.findIndex((entry) => entry.n === n) - 1]?.n ?? null;
  }

  #draw() {
    const say = this.#say;
    const { cells } = this;
    this.#count.textContent = say.decidedOf(this.#entries.filter(({ decided }) => decided).length, this.#entries.length);
    const of = (kind) => this.#entries.filter(({ kinds }) => kind === "all" || kinds.includes(kind)).length;
    fill(this.#chips, ["all", "split", "flagged", "skipped"].map((kind) => h("button", {
      type: "button", class: "chip", "aria-pressed": String(kind === this.#kind), onclick: () => { this.#kind = kind; this.#draw(); },
    }, `${kind === "all" ? say.all : say.kinds[kind]} ${of(kind)}`)));
    const focused = this.#list.contains(document.activeElement);
    fill(this.#list, cells.length ? cells.map((entry) => this.#row(entry)) : h("li", { class: "quiet" }, say.queueEmptyFilter));
    const current = this.#list.querySelector("[aria-current]");
    if (focused) current?.focus();
    current?.scrollIntoView({ block: "nearest" });
  }

  #row({ n, kinds, decided, changed }) {
    const say = this.#say;
    const state = changed ? "changed" : decided ? "decided" : "open";
    return h("li", {}, h("button", { type: "button", "data-n": String(n), "data-state": state, "aria-current": n === this.#at ? "true" : null, onclick: () => this.#open(n) },
      h("span", { class: "dot", "aria-hidden": "true" }),
      h("span", { class: "name" }, say.cell(n + 1)),
      h("span", { class: "quiet" }, kinds.map((kind) => say.kinds[kind]).join(", ")),
      h("span", { class: "unseen" }, decided ? say.decided : say.open)));
  }
}
