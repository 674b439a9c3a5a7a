// Selecting by keyboard: sentence after sentence of the texts that can be marked, longer with Shift. E then marks it.

function position(element, offset) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let left = offset;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (left <= node.length) return [node, left];
    left -= node.length;
  }
  return [element, element.childNodes.length];
}

function sentences({ text, element }, language) {
  const found = [];
  for (const { segment, index } of new Intl.Segmenter(language, { granularity: "sentence" }).segment(text)) {
    const start = index + segment.length - segment.trimStart().length;
    const end = index + segment.trimEnd().length;
    if (end > start) found.push({ element, text, start, end });
  }
  return found;
}

export class Picker {
  #spans = [];
  #first = 0;
  #last = 0;

  get active() {
    return this.#spans.length > 0;
  }

  // Begin with the first sentence of the part of one of these names, the first that is there; false where there is none.
  begin(parts, language, names) {
    const markable = parts.filter((part) => part.markable);
    this.#spans = markable.flatMap((part) => sentences(part, language));
    const wanted = names.map((name) => markable.find((part) => part.name === name)).find(Boolean);
    this.#first = this.#last = Math.max(0, this.#spans.findIndex(({ element }) => element === wanted?.element));
    this.#select();
    return this.active;
  }

  // One sentence on or back; with `longer` only the end moves, within its text.
  move(step, longer) {
    const to = this.#last + step;
    if (!this.#spans[to] || (longer && (to < this.#first || this.#spans[to].element !== this.#spans[this.#first].element))) return;
    this.#last = to;
    if (!longer) this.#first = to;
    this.#select();
  }

  end() {
    this.#spans = [];
    getSelection().removeAllRanges();
  }

  get words() {
    return this.active ? this.#spans[this.#first].text.slice(this.#spans[this.#first].start, this.#spans[this.#last].end) : "";
  }

  #select() {
    if (!this.active) return;
    const { element, start } = this.#spans[this.#first];
    const end = position(element, this.#spans[this.#last].end);
    getSelection().setBaseAndExtent(...position(element, start), ...end);
    end[0].parentElement.scrollIntoView({ block: "nearest" });
  }
}
