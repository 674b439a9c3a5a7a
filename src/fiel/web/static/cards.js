// What each rater answered, under a letter; the names only once the server tells them.

import { h } from "./dom.js";
import { quoted } from "./marks.js";
import { worded } from "./options.js";

export function cards(say, cell) {
  const text = (mark) => quoted(cell.parts.find(({ name }) => name === mark.part)?.text ?? "", mark);
  const names = cell.cards.filter(({ name }) => name).map(({ letter, name }) => `${letter} ${name}`);
  return [
    h("ul", {}, cell.cards.map((card) => h("li", { class: "rater" },
      h("p", { class: "rater-head" }, h("span", {}, say.rater(card.letter)), h("span", { class: "quiet" },
        [card.seconds === null ? null : say.seconds(card.seconds), card.fast ? say.fast : null, card.flag ? say.flagged : null].filter(Boolean).join(" · "))),
      h("p", { class: "rater-answer" }, worded(card, cell.question, cell.kind, say) ?? say.nothing),
      card.note ? h("p", { class: "rater-note" }, card.note) : null,
      card.evidence.map((mark) => h("p", { class: "rater-mark" }, h("q", { class: `by-${card.letter}` }, text(mark))))))),
    names.length ? h("p", { class: "names quiet" }, say.namesAre(names.join(", "))) : null,
  ];
}
