import type { PaceNews } from "../../model/pace.ts";
import { Countdown } from "../countdown.ts";

/** What a carrier's deliveries are worth is known for so long, in ms. */
const MERIT_MS = 600_000;

/** What an isolate knows of how a carrier stands: what its pacing object said last. */
export class Known {
  /** While it runs, messages that have another carrier pass this one over. */
  readonly #out = new Countdown();
  readonly #meritLeft = new Countdown();
  #merit = 1;
  /** Whether the object said last that the carrier takes messages. */
  isUp = true;
  /** Whether a message of this isolate tries the carrier. */
  isTrying = false;

  /** Learns from an answer; an object of an older version does not say. */
  hear(news: Partial<PaceNews> | undefined, nowMs: number): void {
    if (news?.merit !== undefined) {
      this.#merit = news.merit;
      this.#meritLeft.set(nowMs, MERIT_MS);
    }
    if (news?.state === undefined) return;
    this.isUp = news.state === "up";
    this.isTrying = news.state === "trial" || (this.isTrying && !this.isUp);
    this.#out.set(nowMs, news.outMs ?? 0);
  }

  /** How long messages that have another carrier pass this one over, in ms. */
  outMs(nowMs: number): number {
    return this.#out.leftMs(nowMs);
  }

  /** What its deliveries are worth; 1 where that is not known. */
  merit(nowMs: number): number {
    return this.#meritLeft.leftMs(nowMs) > 0 ? this.#merit : 1;
  }
}
