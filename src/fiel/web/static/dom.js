// Elements made from plain values. Text is only ever set as text: nothing that a file holds can become markup.

export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const key = (name) => h("kbd", {}, name);

export function button(label, badge, action, props = {}) {
  return h("button", { type: "button", onclick: action, ...props }, badge ? key(badge) : null, h("span", {}, label));
}

export function inTextField(target) {
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && !["button", "checkbox", "radio", "submit"].includes(target.type));
}

// Draw anew what a text field stands in that is being written: text and caret stay. field(): the one that is there then.
export function redrawn(area, draw, field) {
  const { value, selectionStart, selectionEnd } = area;
  draw();
  const again = field();
  again.focus();
  again.value = value;
  again.setSelectionRange(selectionStart, selectionEnd);
}

// Whether a key press belongs to a control that has the keyboard: Space and Enter press it, arrows move in it.
export const onControl = (event) => Boolean(event.target.closest?.("button, a, select, input, .rubric, .raters"));

// A key press as this page understands it, or null where it is none of its business.
export function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.defaultPrevented) return null;
  if (event.key.length > 1) return event.key;
  if (/^\d$/.test(event.key)) return event.key;
  const digit = event.shiftKey ? null : /^(?:Digit|Numpad)(\d)$/.exec(event.code); // keyboards where digits need Shift
  return digit ? digit[1] : event.key.toUpperCase();
}

export function randomKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16)); // randomUUID is absent outside secure contexts
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
