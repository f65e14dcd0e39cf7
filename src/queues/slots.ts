interface Waiter {
  max: number;
  resolve: (taken: number) => void;
}

/** Bounds how many things run at once, and shares them fairly: no caller takes all slots while another waits. */
export class Slots {
  #free: number;
  readonly #waiting: Waiter[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Waits until a slot is free, then takes up to `max`; the caller gives them all back. */
  take(max: number): Promise<number> {
    return new Promise((resolve) => {
      this.#waiting.push({ max, resolve });
      this.#hand();
    });
  }

  /** Gives slots back. */
  give(count: number): void {
    this.#free += count;
    this.#hand();
  }

  /** Gives out free slots in equal shares, longest wait first: a caller that gives and asks again comes last. */
  #hand(): void {
    while (this.#free > 0) {
      const next = this.#waiting.shift();
      if (!next) return;
      const share = Math.ceil(this.#free / (this.#waiting.length + 1));
      const taken = Math.min(next.max, share);
      this.#free -= taken;
      next.resolve(taken);
    }
  }
}
