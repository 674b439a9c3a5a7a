// Short questions over the page. Each gives back what was chosen, or null; a key for every button.

import { pause } from "./api.js";
import { button, h, inTextField, pressed } from "./dom.js";

// buttons: [[key, label, value]]
export function ask({ title, text = [], buttons, cancel, closable = Boolean(cancel), className = "" }) {
  return new Promise((resolve) => {
    const close = (value) => {
      document.removeEventListener("keydown", keys, true);
      dialog.remove();
      resolve(value);
    };
    const keys = (event) => {
      event.stopPropagation();
      const found = event.repeat || inTextField(event.target) ? null : buttons.find(([badge]) => badge === pressed(event));
      if (!found) return;
      event.preventDefault();
      close(found[2]);
    };
    const dialog = h("dialog", { class: className, "aria-labelledby": "dialog-title" },
      h("h2", { id: "dialog-title" }, title), text,
      h("div", { class: "choices" }, buttons.map(([badge, label, value]) => button(label, badge, () => close(value)))),
      cancel ? h("div", { class: "end" }, button(cancel, "Esc", () => close(null))) : null);
    dialog.addEventListener("cancel", (event) => {
      event.preventDefault();
      if (closable) close(null);
    });
    dialog.addEventListener("close", () => { // a browser may close it without asking
      if (closable) close(null);
      else if (dialog.isConnected) dialog.showModal();
    });
    document.addEventListener("keydown", keys, true);
    document.body.append(dialog);
    dialog.showModal();
  });
}

export async function askSkip(say) {
  const reasons = Object.entries(say.reasons).map(([value, label], index) => [String(index + 1), label, value]);
  const chosen = await ask({ title: say.skipTitle, buttons: reasons, cancel: say.cancel });
  return chosen === "other" ? askWords(say) : chosen;
}

function askWords(say) {
  return new Promise((resolve) => {
    const input = h("input", { id: "reason", type: "text", maxlength: "1000", required: true, autocomplete: "off" });
    const close = (value) => {
      dialog.remove();
      resolve(value);
    };
    const send = (event) => {
      event.preventDefault();
      if (input.value.trim()) close(input.value.trim());
      else input.focus();
    };
    const dialog = h("dialog", { "aria-labelledby": "dialog-title", onkeydown: (event) => event.stopPropagation() },
      h("form", { onsubmit: send },
        h("h2", { id: "dialog-title" }, say.skipTitle),
        h("label", { for: "reason" }, say.otherReason), input,
        h("div", { class: "end" }, button(say.cancel, "Esc", () => close(null)), h("button", { type: "submit", class: "main" }, h("kbd", {}, "↵"), h("span", {}, say.skip)))));
    dialog.addEventListener("close", () => close(null));
    document.body.append(dialog);
    dialog.showModal();
    input.focus();
  });
}

// rows: [[keys, what they do]]; extra: elements under them.
export function help(say, rows, extra = []) {
  const list = h("dl", { class: "keys" }, rows.map(([names, what]) => [h("dt", {}, h("kbd", {}, names)), h("dd", {}, what)]));
  return ask({ title: say.helpTitle, text: [list, extra], buttons: [["?", say.close, null]], closable: true, className: "help" });
}

// Nobody has called for this one: it waits until nothing is being written and no other is open, lest a letter choose.
// tell(): {title, text, mine, other} as they are then.
export async function askConflict(say, tell) {
  while (inTextField(document.activeElement) || document.querySelector("dialog[open]")) await pause(200);
  const { title, text, mine, other } = tell();
  const pair = h("dl", { class: "versions" }, h("dt", {}, say.mineIs), h("dd", {}, mine), h("dt", {}, say.otherIs), h("dd", {}, other));
  return ask({ title, text: [h("p", {}, text), pair], buttons: [["M", say.mine, "mine"], ["O", say.other, "other"]], cancel: null });
}
