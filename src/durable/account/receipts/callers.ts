// How many callers come together, learned from the batches that they shared. A gateway with a few connections sends
// nothing more until it is answered, so its batch is complete as soon as all of its connections are there; one that
// sends on regardless can share a batch for as long as a batch lasts. Which of the two it is cannot be asked.

/** The longest that a batch waits, in ms. */
export const HOLD_MS = 1_000;

/** Callers are known for so long after their last batch, in ms: a carrier may fall silent for a moment. */
const FORGET_MS = 10 * HOLD_MS;

/** A batch waits at most this many times as long as batches take, so that callers that left hold up no other. */
const HOLD_CYCLES = 4;

/** The share of the known callers that completes a batch: it does not wait for the slowest of them. */
const CALLERS_SHARE = 0.75;

/** A batch that took this long, in ms, ends once no call came for this many times as long as its calls came apart. */
const SLOW_MS = HOLD_MS / 4;
const LATE_GAPS = 3;

/** A batch that looks for more callers waits this many times as long as batches take, in addition. */
const PROBE_CYCLES = 1.5;

/** The shortest of these waits, in ms: a burst takes a few ms to arrive. */
const PROBE_MS_MIN = 5;

/** A search for more callers begins with two batches in a row; while none are found, each 2nd, 4th, … batch looks. */
const PROBE_EVERY_FIRST = 0.5;
const PROBE_EVERY_MAX = 16;

/** Calls keep coming when, late in such a wait, this share of those arrive that a steady stream would bring. */
const STEADY_SHARE = 1 / 3;

/** The weight of the newest batch in the average of how long they take. */
const NEWEST_WEIGHT = 0.25;

/** One batch's wait for its callers. */
export interface Wait {
  readonly sinceMs: number;
  calls: number;
  /** Whether this batch looks for more callers than are known. */
  readonly probes: boolean;
  /** Whether as many calls came as complete a batch. */
  isComplete: boolean;
  /** The late part of a probe, and how many calls it needs to show that calls keep coming. */
  lateFromMs: number;
  lateCalls: number;
  lateCallsMin: number;
}

/** What is known of an object's callers. It only advises: a call is applied within `HOLD_MS` whatever it says. */
export class Callers {
  #known = 1;
  /** When the last batch ended. */
  #endedMs = 0;
  /** How long batches take, on average: from the end of the one before until they are complete. */
  #cycleMs = 0;
  #probeEvery = PROBE_EVERY_FIRST;
  #untilProbe = 1;

  /** Whether no call came for so long that the next one need not wait. A clock that was set back counts as quiet. */
  isQuiet(nowMs: number): boolean {
    return nowMs - this.#endedMs >= HOLD_MS || nowMs < this.#endedMs;
  }

  /** A call was applied at once after quiet. After a long one, nothing is known of the callers any more. */
  startAgain(nowMs: number): void {
    const quietMs = nowMs - this.#endedMs;
    this.#endedMs = nowMs;
    if (quietMs >= 0 && quietMs < FORGET_MS) return;
    this.#known = 1;
    this.#cycleMs = 0;
    this.#probeNext(PROBE_EVERY_FIRST);
  }

  /** Begins the wait of a batch, and returns it with its longest duration in ms. */
  begin(nowMs: number): { wait: Wait; forMs: number } {
    this.#untilProbe -= 1;
    const probes = this.#untilProbe === 0;
    const late = { lateFromMs: Infinity, lateCalls: 0, lateCallsMin: 0 };
    const wait = { sinceMs: nowMs, calls: 0, probes, isComplete: false, ...late };
    return { wait, forMs: Math.min(HOLD_MS, HOLD_CYCLES * Math.max(this.#cycleMs, PROBE_MS_MIN)) };
  }

  /**
   * Counts a call. Returns in how many ms the batch ends when this call completes it, else null. A batch that does not
   * probe ends in the next turn of the event loop, with the calls that are waiting there already.
   */
  count(wait: Wait, nowMs: number): number | null {
    wait.calls += 1;
    if (nowMs >= wait.lateFromMs) wait.lateCalls += 1;
    if (wait.calls < Math.ceil(this.#known * CALLERS_SHARE)) return null;
    const leftMs = HOLD_MS - (nowMs - wait.sinceMs);
    if (!wait.isComplete) this.#average(nowMs);
    else if (wait.probes) return null;
    wait.isComplete = true;
    // The longest hold ends right now, by the timer that is set: a new one would ring a moment later.
    if (leftMs <= 0) return null;
    const tookMs = nowMs - wait.sinceMs;
    // Callers that come slowly wait for something else than their answers: the batch has time for the late ones.
    if (!wait.probes) return tookMs < SLOW_MS ? 0 : Math.min((LATE_GAPS * tookMs) / wait.calls, leftMs);
    const cycleMs = Math.max(this.#cycleMs, PROBE_MS_MIN);
    const moreMs = Math.min(PROBE_CYCLES * cycleMs, leftMs);
    wait.lateFromMs = nowMs + moreMs / 2;
    wait.lateCallsMin = (STEADY_SHARE * wait.calls * (moreMs / 2)) / cycleMs;
    return moreMs;
  }

  /** Learns from a batch that ended. */
  end({ calls, probes, isComplete, lateCalls, lateCallsMin }: Wait, nowMs: number): void {
    if (!isComplete) this.#average(nowMs);
    const isSteady = lateCalls > 0 && lateCalls >= lateCallsMin;
    // While calls keep coming, or when fewer came than before, the next batch looks again.
    if (!isComplete || isSteady || calls > this.#known) this.#probeNext(PROBE_EVERY_FIRST);
    else if (probes) this.#probeNext(2 * this.#probeEvery);
    if (!isComplete || probes || calls > this.#known) this.#known = calls;
    this.#endedMs = nowMs;
  }

  #average(nowMs: number): void {
    const tookMs = Math.max(0, nowMs - this.#endedMs);
    this.#cycleMs += (this.#cycleMs === 0 ? 1 : NEWEST_WEIGHT) * (tookMs - this.#cycleMs);
  }

  #probeNext(every: number): void {
    this.#probeEvery = Math.min(every, PROBE_EVERY_MAX);
    this.#untilProbe = Math.max(1, this.#probeEvery);
  }
}
