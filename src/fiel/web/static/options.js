// The answers to a question as rows with a key each. A digit is its own key where all options are digits.

import { h, key } from "./dom.js";
import { NOT_APPLICABLE } from "./book.js";
import { definitions } from "./rubric.js";

const LETTERS = "CDHIJKOPQVWYZ"; // what no command of a page uses

export function choices(question, kind, say) {
  if (kind === "pair") {
    const sides = [["first", 2], ["first", 1], ["tie", null], ["second", 1], ["second", 2]];
    const made = sides.map(([answer, strength], index) => ({ key: String(index + 1), label: say.pair[index], answer, strength, skipped: null, about: null }));
    return [...made, ...notApplicable(question, say)];
  }
  const defined = definitions(question.guidance, question.options);
  const digits = question.options.every((option) => /^\d$/.test(option));
  const made = question.options.map((option, index) => ({
    key: digits ? option : index < 9 ? String(index + 1) : (LETTERS[index - 9] ?? null),
    label: option, answer: option, strength: null, skipped: null, about: defined.get(option) ?? null,
  }));
  return [...made, ...notApplicable(question, say)];
}

function notApplicable(question, say) {
  if (!question.applies_when) return [];
  return [{ key: "X", label: say.notApplicable, answer: null, strength: null, skipped: NOT_APPLICABLE, about: null }];
}

export const isChosen = (choice, entry) =>
  (choice.answer !== null || choice.skipped !== null) && choice.answer === entry.answer && choice.strength === entry.strength && choice.skipped === entry.skipped;

// What an entry says, in words; null where it says nothing.
export function worded(entry, question, kind, say) {
  const found = choices(question, kind, say).find((choice) => isChosen(choice, entry));
  if (found) return found.label;
  if (entry.answer !== null) return entry.answer;
  return entry.skipped === null ? null : `${say.skip}: ${say.reasons[entry.skipped] ?? entry.skipped}`;
}

// A radio group. Arrows move between its rows, Space and Enter choose: an answer moves on, so moving must not answer.
export function group(list, entry, { labelledby, enabled, choose }) {
  const chosen = list.findIndex((choice) => isChosen(choice, entry));
  const rows = list.map((choice, index) =>
    h("div", {
      class: "option", role: "radio", "aria-checked": String(index === chosen), "aria-disabled": enabled ? null : "true",
      "aria-keyshortcuts": choice.key, tabindex: index === Math.max(chosen, 0) ? "0" : "-1", onclick: () => enabled && choose(choice),
    }, choice.key ? key(choice.key) : h("kbd", { class: "none" }), h("span", { class: "label" }, h("span", {}, choice.label), choice.about ? h("small", {}, choice.about) : null)));
  const move = (event, index) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      const to = rows[(index + step + rows.length) % rows.length];
      rows.forEach((row) => row.setAttribute("tabindex", row === to ? "0" : "-1"));
      to.focus();
    } else if ((event.key === " " || event.key === "Enter") && !event.repeat) {
      if (enabled) choose(list[index]);
    } else return;
    event.preventDefault();
  };
  rows.forEach((row, index) => row.addEventListener("keydown", (event) => move(event, index)));
  return h("div", { role: "radiogroup", class: "options", "aria-labelledby": labelledby }, rows);
}
