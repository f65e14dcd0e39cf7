import { logProblem } from "../../log.ts";
import type { SmppBindStanding } from "../../smpp/answers.ts";
import type { Link } from "./link.ts";

// A connection that is to be there at all times: made again by itself, with growing gaps.

/** The gap before the first try after a break, and the longest one, in ms. */
const GAP_MS = 1_000;
const GAP_MS_MAX = 30_000;

/** Why a line is down, and when it is tried again. It is stored, since an object without a connection is soon evicted. */
export interface Trouble {
  tries: number;
  sinceMs: number;
  nextMs: number;
  /** The status of the carrier's refusal; null where it was not reached. */
  status: number | null;
}

/** The gap after so many tries, in ms. */
export const gapMs = (tries: number): number => Math.min(GAP_MS_MAX, GAP_MS * 2 ** Math.max(0, tries - 1));

/** What a line needs of its object. */
export interface LineParts {
  mode: SmppBindStanding["mode"];
  /** A new connection, which calls `closed` at its end. */
  open: (closed: () => void) => { link: Link; bind: () => Promise<number | null> };
  /** Trouble as it was stored before the object's restart. */
  trouble: Trouble | null;
  /** Stores it; null: there is none any more. */
  changed: (trouble: Trouble | null) => void;
}

export class Line {
  readonly #parts: LineParts;
  #link: Link | null = null;
  #opening: Promise<void> | null = null;
  #trouble: Trouble | null;
  #sinceMs: number;
  #tries: number;
  #isOver = false;

  constructor(parts: LineParts, nowMs: number) {
    this.#parts = parts;
    this.#trouble = parts.trouble;
    this.#tries = parts.trouble?.tries ?? 0;
    this.#sinceMs = parts.trouble?.sinceMs ?? nowMs;
  }

  get mode(): SmppBindStanding["mode"] {
    return this.#parts.mode;
  }

  /** The connection that is bound; null where there is none. */
  get link(): Link | null {
    return this.#link?.isBound === true ? this.#link : null;
  }

  /** Whether the carrier refused the last bind. */
  get isRefused(): boolean {
    return this.link === null && this.#trouble !== null && this.#trouble.status !== null;
  }

  /** When the next try is due, in ms; null where none is needed. */
  get nextMs(): number | null {
    return this.#isOver || this.link || this.#opening ? null : (this.#trouble?.nextMs ?? 0);
  }

  standing(n: number): SmppBindStanding {
    const link = this.link;
    const state = link ? "bound" : this.isRefused ? "refused" : "down";
    return { n, mode: this.mode, state, since: this.#sinceMs, inFlight: this.#link?.inFlight ?? 0 };
  }

  /** Connects where that is due; resolves when the try has ended. Never throws. */
  ensure(nowMs: number): Promise<void> {
    const { nextMs } = this;
    // A time that lies further ahead than any gap is from before the clock was set back.
    if (this.#opening === null && nextMs !== null && (nextMs <= nowMs || nextMs > nowMs + GAP_MS_MAX)) {
      this.#opening = this.#open().finally(() => {
        this.#opening = null;
      });
    }
    return this.#opening ?? Promise.resolve();
  }

  /** Gives the line up; its connection says goodbye. */
  async leave(): Promise<void> {
    this.#isOver = true;
    await this.#link?.leave();
  }

  /** Ends the connection at once; it is made again. */
  cut(): void {
    this.#link?.end();
  }

  async #open(): Promise<void> {
    let link: Link | null = null;
    let isBound = false;
    let status: number | null = null;
    try {
      const opened = this.#parts.open(() => {
        if (isBound) this.#broke(null, true);
      });
      this.#link = link = opened.link;
      status = await opened.bind();
    } catch (problem) {
      logProblem("smpp connection", problem);
    }
    if (link?.isBound !== true) {
      this.#broke(status === 0 ? null : status, false);
      return;
    }
    isBound = true;
    this.#sinceMs = Date.now();
    this.#trouble = null;
    this.#parts.changed(null);
    if (this.#isOver) await link.leave();
  }

  #broke(status: number | null, wasBound: boolean): void {
    const nowMs = Date.now();
    // One that held for a while is made again soon; one that breaks each time is not.
    this.#tries = wasBound && nowMs - this.#sinceMs >= GAP_MS_MAX ? 1 : this.#tries + 1;
    if (wasBound || this.#trouble === null) this.#sinceMs = nowMs;
    this.#link = null;
    if (this.#isOver) return;
    this.#trouble = { tries: this.#tries, sinceMs: this.#sinceMs, nextMs: nowMs + gapMs(this.#tries), status };
    this.#parts.changed(this.#trouble);
  }
}
