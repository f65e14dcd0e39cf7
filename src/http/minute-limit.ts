/** The length of a minute, in ms. */
const MINUTE_MS = 60_000;

/** Counts what this isolate does in each minute, in memory: a bound for what has no account whose object could count. */
export class MinuteLimit {
  readonly max: number;
  #minute = 0;
  #count = 0;

  constructor(max: number) {
    this.max = max;
  }

  /** Counts one more; 0 while the minute has room, else the seconds until the next one begins. */
  admit(nowMs: number): number {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.#minute) [this.#minute, this.#count] = [minute, 0];
    this.#count += 1;
    return this.#count <= this.max ? 0 : Math.ceil(((minute + 1) * MINUTE_MS - nowMs) / 1000);
  }
}
