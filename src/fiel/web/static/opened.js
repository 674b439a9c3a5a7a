// The opening of a study, asked for until it is there; what stands on the page meanwhile, and where there is none.

import { pause } from "./api.js";
import { fill, h } from "./dom.js";
import { texts } from "./texts.js";

export const page = () => document.getElementById("page");

export function alone(title, ...paragraphs) {
  fill(page(), h("main", { class: "alone" }, h("h1", {}, title), paragraphs.map((text) => h("p", {}, text))));
}

export async function opened(api) {
  const say = texts(navigator.language);
  document.documentElement.lang = say.language;
  alone(say.loading);
  for (;;) {
    const { status, body } = await api.get("/api/opening");
    if (status === 200) {
      const own = texts(body.language);
      document.documentElement.lang = own.language;
      document.title = `${body.study} · ${body.role === "rater" ? own.labelling : own.adjudication}`;
      return body;
    }
    if (status === 401 || status === 404) {
      alone(say.goneTitle, say.goneText);
      return null;
    }
    alone(say.unreachable);
    await pause();
  }
}
