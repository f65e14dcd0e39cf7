// Group commit. The platform commits, and syncs, once per turn of the event loop, before a reply of that turn leaves.
// So calls to a busy account wait for one common turn: each still runs in its own transaction, with its own result, and
// one sync serves them all. A single call does not wait.

/** A call within this time of the one before, in ms, waits to share a commit. */
const BUSY_MS = 5;

/** Lets the calls of one object share a commit. */
export class GroupCommit {
  #next: Promise<void> | null = null;
  #lastMs = 0;

  /** Resolves in the turn of the event loop that the waiting calls share; at once while calls are rare. */
  async next(): Promise<void> {
    const nowMs = Date.now();
    const busy = Math.abs(nowMs - this.#lastMs) < BUSY_MS;
    this.#lastMs = nowMs;
    if (!busy && !this.#next) return;
    this.#next ??= scheduler.wait(0).then(() => {
      this.#next = null;
    });
    await this.#next;
  }
}
