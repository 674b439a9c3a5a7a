// The rubric's words as elements: paragraphs, lists, headings, **strong**, *weak*, `code`. No markup passes through.

import { h } from "./dom.js";

const INLINE = /\*\*(.+?)\*\*|\*(?!\s)(.+?)\*|`([^`]+)`/g;

function inline(text) {
  const nodes = [];
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    nodes.push(text.slice(at, found.index));
    const [tag, words] = found[1] ? ["strong", found[1]] : found[2] ? ["em", found[2]] : ["code", found[3]];
    nodes.push(h(tag, {}, words));
    at = found.index + found[0].length;
  }
  nodes.push(text.slice(at));
  return nodes;
}

export function prose(text) {
  const blocks = [];
  for (const block of (text ?? "").trim().split(/\n\s*\n/)) {
    let open = null;
    for (const line of block.split("\n")) {
      const heading = /^#{1,6}\s+(.*)$/.exec(line);
      const item = /^\s*(?:[-*•]|(\d+)[.)])\s+(.*)$/.exec(line);
      if (heading) {
        blocks.push(h("p", { class: "heading" }, inline(heading[1])));
        open = null;
      } else if (item) {
        const tag = item[1] ? "OL" : "UL";
        if (open?.tagName !== tag) blocks.push((open = h(tag.toLowerCase())));
        open.append(h("li", {}, inline(item[2])));
      } else if (open?.tagName === "P") {
        open.append(" ", ...inline(line));
      } else if (open?.lastElementChild && /^\s/.test(line)) {
        open.lastElementChild.append(" ", ...inline(line.trim()));
      } else if (line.trim()) {
        blocks.push((open = h("p", {}, inline(line))));
      }
    }
  }
  return blocks;
}

// Lines of the guidance that define an option: "yes: every claim is supported".
export function definitions(guidance, options) {
  const lines = (guidance ?? "").split("\n").map((line) => defined(line, options)).filter(Boolean);
  return new Map(lines.reverse());
}

function defined(line, options) {
  const plain = line.replace(/^\s*(?:[-*•]\s+)?/, "").replaceAll("*", "").replaceAll("`", "");
  for (const option of options) {
    const rest = plain.startsWith(option) ? /^\s*[:=–—-]\s+(.+)$/.exec(plain.slice(option.length)) : null;
    if (rest) return [option, rest[1]];
  }
  return null;
}

function remaining({ guidance, options }) {
  const lines = (guidance ?? "").split("\n");
  const short = lines.filter((line, index) => {
    const wrapped = /^\s+\S/.test(lines[index + 1] ?? "") && !defined(lines[index + 1], options); // it goes on: left whole
    return wrapped || !defined(line, options);
  });
  return short.join("\n");
}

// What stands beside the questions; definitions of options stand under the options themselves.
export function rubric(opening, say) {
  const parts = opening.guidance ? [h("div", { class: "prose" }, prose(opening.guidance))] : [];
  const several = opening.questions.length > 1;
  for (const question of opening.questions) {
    const more = [
      ...prose(remaining(question)),
      question.applies_when ? h("p", {}, say.applies(question.applies_when)) : null,
      question.exclude.length ? h("p", {}, say.exclude(question.exclude.join(", "))) : null,
    ].filter(Boolean);
    if (more.length) parts.push(h("section", {}, several ? h("h3", {}, question.id) : null, more));
  }
  return parts;
}
