/** A bounded number of things at once, shared fairly: nobody takes all while another waits. */
export class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Waits until a slot is free, then takes up to `max`; the caller gives them all back. */
  async take(max: number): Promise<number> {
    while (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const taken = Math.min(max, this.#waiting.length > 0 ? 1 : this.#free);
    this.#free -= taken;
    return taken;
  }

  /** Gives slots back. */
  give(count: number): void {
    this.#free += count;
    for (let woken = 0; woken < count; woken++) this.#waiting.shift()?.();
  }
}
