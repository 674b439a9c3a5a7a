// Marked stretches of a text: code points outside, UTF-16 units inside, and the text drawn with them.

import { h } from "./dom.js";

export const points = (text, units) => Array.from(text.slice(0, units)).length;

export function units(text, wanted) {
  let [at, seen] = [0, 0];
  while (seen < wanted && at < text.length) {
    at += text.codePointAt(at) > 0xffff ? 2 : 1;
    seen += 1;
  }
  return at;
}

export const quoted = (text, mark) => text.slice(units(text, mark.start), units(text, mark.end));

// The text as nodes; where marks overlap, the pieces are cut at their ends. A mark of somebody ends with his letter.
export function drawn(text, marks) {
  const spans = marks.map((mark) => ({ ...mark, from: units(text, mark.start), to: units(text, mark.end) }));
  const cuts = [...new Set([0, text.length, ...spans.flatMap((span) => [span.from, span.to])])].sort((a, b) => a - b);
  const nodes = [];
  for (const [index, from] of cuts.slice(0, -1).entries()) {
    const to = cuts[index + 1];
    const over = spans.filter((span) => span.from <= from && span.to >= to);
    const piece = text.slice(from, to);
    const ending = over.filter((span) => span.to === to && span.letter).map((span) => span.letter).join(" ");
    if (!over.length) nodes.push(piece);
    else nodes.push(h("mark", { class: over.map((span) => span.style ?? "own").join(" "), "data-letters": ending || null }, piece));
  }
  return nodes;
}

// What is selected in one of these elements ({name, element, text}), or why it cannot be marked.
export function selected(parts) {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || !selection.rangeCount) return { problem: "noSelection" };
  const range = selection.getRangeAt(0);
  const part = parts.find(({ element }) => element.contains(range.startContainer) && element.contains(range.endContainer));
  if (!part) return { problem: "noSelection" };
  if (!part.markable) return { problem: "notMarkable" };
  const before = document.createRange();
  before.selectNodeContents(part.element);
  before.setEnd(range.startContainer, range.startOffset);
  const from = before.toString().length;
  const inner = range.toString();
  const left = inner.length - inner.trimStart().length;
  const right = inner.trimEnd().length;
  if (right <= left) return { problem: "noSelection" };
  return { mark: { part: part.name, start: points(part.text, from + left), end: points(part.text, from + right) } };
}

export const same = (a, b) => a.part === b.part && a.start === b.start && a.end === b.end;
