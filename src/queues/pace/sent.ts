/** References that are remembered: deliveries that come soon are timed, and of many messages some are enough. */
const SENT_MAX = 2_000;

/** When messages were submitted that this isolate submitted last, by their references. */
export class Sent {
  readonly #times = new Map<string, number>();

  note(ref: string, nowMs: number): void {
    this.#times.set(ref, nowMs);
    if (this.#times.size <= SENT_MAX) return;
    const [oldest] = this.#times.keys();
    if (oldest !== undefined) this.#times.delete(oldest);
  }

  /** How long ago a message was submitted, in ms, once; null where that is not known. */
  since(ref: string, nowMs: number): number | null {
    const atMs = this.#times.get(ref);
    this.#times.delete(ref);
    return atMs === undefined ? null : Math.max(0, nowMs - atMs);
  }
}
