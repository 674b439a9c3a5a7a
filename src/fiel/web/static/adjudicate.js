// The adjudication page: opens the study with the link's token, then hands over to a bench.

import { Api, token } from "./api.js";
import { Bench } from "./bench.js";
import { opened } from "./opened.js";
import { drawer } from "./book.js";
import { Outbox } from "./outbox.js";
import { texts } from "./texts.js";

const link = token();
const api = new Api(link);
const opening = await opened(api);
if (opening) {
  let bench = null;
  const outbox = new Outbox(api, ({ n }) => `/api/cells/${n}`, {
    change: () => bench?.changed(),
    saved: (write, body) => bench?.saved(write, body),
    conflict: (write, current) => bench?.conflict(write, current),
    refused: (write, body) => bench?.refused(write, body),
  });
  bench = new Bench({ api, opening, outbox, say: texts(opening.language) });
  if (await bench.prepare()) {
    await outbox.open(drawer(link));
    bench.begin();
  }
}
