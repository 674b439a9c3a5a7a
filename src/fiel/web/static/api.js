// Requests to the server this page came from, with the token of its own address. Never throws: status 0 is "not reached",
// and so is an answer that was cut off or is no JSON: it does not come from the server, whatever its status says.

const PATIENCE = 15_000;

export const pause = (milliseconds = 2000) => new Promise((wake) => setTimeout(wake, milliseconds));

export class Api {
  #token;

  constructor(token) {
    this.#token = token;
  }

  get(path) {
    return this.#ask(path, {});
  }

  put(path, body, version) {
    return this.#ask(path, {
      method: "PUT",
      headers: { "Content-Type": "application/json", "If-Match": `"${version}"` },
      body: JSON.stringify(body),
    });
  }

  async #ask(path, options) {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), PATIENCE);
    try {
      const headers = { ...options.headers, Authorization: `Bearer ${this.#token}` };
      const response = await fetch(path, { ...options, headers, signal: abort.signal, cache: "no-store" });
      return { status: response.status, body: await response.json() };
    } catch {
      return { status: 0, body: {} };
    } finally {
      clearTimeout(timer);
    }
  }
}

// The last part of this page's address.
export const token = () => decodeURIComponent(location.pathname.split("/").pop());

// A short name for a token, for what is kept in this browser; it opens nothing.
export function shortName(text) {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (const char of text) {
    a = Math.imul(a ^ char.codePointAt(0), 2654435761);
    b = Math.imul(b ^ char.codePointAt(0), 1597334677);
  }
  return (a >>> 0).toString(36) + (b >>> 0).toString(36);
}
