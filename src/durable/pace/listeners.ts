// Those who have permits and are to hear at once when the carrier wants silence.

/** A request is held no longer than this, in ms. */
const HEARD_MS_MAX = 8_000;

interface Listener {
  untilMs: number;
  answer: (quietMs: number) => void;
}

/** The listeners of one carrier; each is answered once. */
export class Listeners {
  readonly #all = new Set<Listener>();

  /** Adds one, that hears 0 after `forMs`. */
  add(nowMs: number, forMs: number, answer: Listener["answer"]): void {
    this.#all.add({ untilMs: nowMs + Math.min(forMs, HEARD_MS_MAX), answer });
  }

  /** Tells all of a silence. */
  tell(quietMs: number): void {
    for (const { answer } of this.#all) answer(quietMs);
    this.#all.clear();
  }

  /** Answers those whose time is over. */
  turn(nowMs: number): void {
    for (const listener of this.#all) {
      if (listener.untilMs > nowMs) continue;
      this.#all.delete(listener);
      listener.answer(0);
    }
  }

  /** When the times of all of them are over. */
  get untilMs(): number[] {
    return [...this.#all].map(({ untilMs }) => untilMs);
  }
}
