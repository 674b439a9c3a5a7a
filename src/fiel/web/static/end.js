// The end: how much was done, and the way back to what was skipped or flagged.

import { h } from "./dom.js";

export function endPage(say, { summary, total, waiting, open }, go) {
  const list = (title, places) => (places.length
    ? h("section", {}, h("h2", {}, title), h("p", { class: "places" }, places.map((place) =>
      h("button", { type: "button", "data-go": `${title} ${place}`, onclick: () => go(place) }, say.goTo(place + 1)))))
    : null);
  return [
    h("h1", {}, open ? say.endTitle : say.closedTitle),
    h("p", { class: "lead" }, say.endCount(summary.done, total, summary.skipped.length, summary.flagged.length)),
    h("p", {}, open ? say.endOpen : say.closedText),
    waiting ? h("p", { class: "warn" }, say.endWaiting(waiting)) : null,
    list(say.skippedList, summary.skipped),
    list(say.flaggedList, summary.flagged),
  ];
}
