// Moments at which a fault hurts most, such as the arrival of a submission. Who causes a fault waits for the next one.

export type Moment = "reply" | "submission" | "answer";

export class Moments {
  readonly #waiting = new Map<Moment, (() => void)[]>();

  /** Something of this kind happens now. */
  note(moment: Moment): void {
    const waiting = this.#waiting.get(moment);
    if (!waiting) return;
    this.#waiting.delete(moment);
    for (const go of waiting) go();
  }

  /** Resolves at the next such moment, and at the latest after `msMax`. */
  next(moment: Moment, msMax: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, msMax);
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.set(moment, [...(this.#waiting.get(moment) ?? []), go]);
    });
  }
}
