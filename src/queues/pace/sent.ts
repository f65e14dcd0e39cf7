/** References that are remembered: deliveries that come soon are timed, and of many messages some are enough. */
const SENT_MAX = 2_000;

/** Forgets the oldest of too many. */
function bound(all: Map<string, unknown> | Set<string>): void {
  if (all.size <= SENT_MAX) return;
  const [oldest] = all.keys();
  if (oldest !== undefined) all.delete(oldest);
}

/** When messages were submitted that this isolate submitted last, by their references, and which ones it has receipts of. */
export class Sent {
  readonly #times = new Map<string, number>();
  readonly #ended = new Set<string>();

  note(ref: string, nowMs: number): void {
    this.#times.set(ref, nowMs);
    bound(this.#times);
  }

  /** Notes a final receipt; false where there was one of this message before, which a carrier repeats. */
  ends(ref: string): boolean {
    if (this.#ended.has(ref)) return false;
    this.#ended.add(ref);
    bound(this.#ended);
    return true;
  }

  /** How long ago a message was submitted, in ms, once; null where that is not known. */
  since(ref: string, nowMs: number): number | null {
    const atMs = this.#times.get(ref);
    this.#times.delete(ref);
    return atMs === undefined ? null : Math.max(0, nowMs - atMs);
  }
}
