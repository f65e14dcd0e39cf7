// Group commit. The platform commits, and syncs, once per turn of the event loop, before any reply of that turn leaves.
// So calls that come while the account is busy wait for one common turn: each still runs in a transaction of its own,
// with a verdict of its own, and one sync serves them all. A call that comes alone waits for nothing.

/** Calls that follow each other this closely are taken together. */
const BUSY_MS = 5;

/** Lets the calls of one object share a commit. */
export class GroupCommit {
  #next: Promise<void> | null = null;
  #lastMs = 0;

  /** Resolves when it is this call's turn; at once while the object has little to do. */
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
