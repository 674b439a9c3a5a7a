// Active time: it runs while the page is seen and somebody is there, and stops a minute after the last sign of life.

const IDLE = 60_000;

export class Clock {
  #counted = 0;
  #since = performance.now();
  #alive = performance.now();
  #seen = document.visibilityState === "visible";

  constructor() {
    document.addEventListener("visibilitychange", () => {
      this.#settle();
      this.#seen = document.visibilityState === "visible";
      if (this.#seen) this.#alive = performance.now();
    });
    for (const sign of ["keydown", "pointerdown", "pointermove", "wheel", "scroll", "touchstart"]) {
      document.addEventListener(sign, () => this.#sign(), { capture: true, passive: true });
    }
  }

  // Seconds since it was last taken or reset.
  take() {
    this.#settle();
    const seconds = this.#counted / 1000;
    this.#counted = 0;
    return Math.round(seconds * 1000) / 1000;
  }

  reset() {
    this.take();
  }

  #sign() {
    this.#settle();
    this.#alive = performance.now();
  }

  #settle() {
    const now = performance.now();
    if (this.#seen) this.#counted += Math.max(0, Math.min(now, this.#alive + IDLE) - this.#since);
    this.#since = now;
  }
}
