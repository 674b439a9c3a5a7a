// The labelling page: opens the study with the link's token, then hands over to a session.

import { Api, token } from "./api.js";
import { Outbox } from "./outbox.js";
import { Session } from "./session.js";
import { texts } from "./texts.js";
import { drawer } from "./book.js";
import { opened } from "./opened.js";

const link = token();
const api = new Api(link);
const opening = await opened(api);
if (opening) {
  const say = texts(opening.language);
  let session = null;
  const outbox = new Outbox(api, ({ place, question }) => `/api/labels/${place}/${question}`, {
    change: () => session?.changed(),
    saved: (write, body) => session?.saved(write, body),
    conflict: (write, current) => session?.conflict(write, current),
    refused: (write, body) => session?.refused(write, body),
  });
  session = new Session({ api, opening, outbox, say });
  await outbox.open(drawer(link));
  session.begin();
}
