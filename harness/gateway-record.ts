import type { Submission } from "./gateway.ts";

// What a paced gateway saw: per second, per lane and account, and per reference.

/** What a submission belongs to; the gateway's owner knows it from the reference, the number or the text. */
export interface Origin {
  lane: string;
  account: string;
}

/** One second of the clock. */
export interface Second {
  accepted: number;
  refused: number;
  byLane: Map<string, { accepted: number; refused: number }>;
  byAccount: Map<string, { accepted: number; refused: number }>;
}

/** What happened to one reference; all times in ms. */
export interface Attempted extends Origin {
  to: string;
  firstMs: number;
  /** When it was first accepted. */
  acceptedMs: number | null;
  /** How often it was accepted: more than once is a message sent twice. */
  accepted: number;
  refused: number;
  firstRefusedMs: number | null;
}

/** A time in which the gateway wants no submission: `Retry-After`, from the moment at which it was first answered. */
export interface Silence {
  fromMs: number;
  untilMs: number;
}

/** A submission that was on its way when the silence was asked for may still arrive for this long. */
export const ON_ITS_WAY_MS = 250;

const countedIn = (map: Map<string, { accepted: number; refused: number }>, name: string) => {
  let found = map.get(name);
  if (!found) map.set(name, (found = { accepted: 0, refused: 0 }));
  return found;
};

export class GatewayRecord {
  /** By number of the second since 1970. */
  readonly seconds = new Map<number, Second>();
  readonly refs = new Map<string, Attempted>();
  readonly silences: Silence[] = [];
  /** Submissions that arrived in a silence: all, and those that were not on their way when it began. */
  inSilence = 0;
  inSilenceLate = 0;

  /** Notes a submission and the decision about it. */
  note(submission: Pick<Submission, "ref" | "to">, origin: Origin, isAccepted: boolean, nowMs: number): void {
    const second = Math.floor(nowMs / 1_000);
    let counted = this.seconds.get(second);
    if (!counted) {
      counted = { accepted: 0, refused: 0, byLane: new Map(), byAccount: new Map() };
      this.seconds.set(second, counted);
    }
    const what = isAccepted ? "accepted" : "refused";
    counted[what] += 1;
    countedIn(counted.byLane, origin.lane)[what] += 1;
    countedIn(counted.byAccount, origin.account)[what] += 1;
    this.#noteRef(submission, origin, isAccepted, nowMs);
    this.#noteSilence(nowMs);
  }

  /** Notes that from `fromMs` on a client has been told to be silent until `untilMs`. */
  silence(fromMs: number, untilMs: number): void {
    const last = this.silences.at(-1);
    if (last && fromMs <= last.untilMs) last.untilMs = Math.max(last.untilMs, untilMs);
    else if (untilMs > fromMs) this.silences.push({ fromMs, untilMs });
  }

  #noteRef({ ref, to }: Pick<Submission, "ref" | "to">, origin: Origin, isAccepted: boolean, nowMs: number): void {
    let seen = this.refs.get(ref);
    if (!seen) {
      seen = { ...origin, to, firstMs: nowMs, acceptedMs: null, accepted: 0, refused: 0, firstRefusedMs: null };
      this.refs.set(ref, seen);
    }
    if (isAccepted) {
      seen.acceptedMs ??= nowMs;
      seen.accepted += 1;
    } else {
      seen.firstRefusedMs ??= nowMs;
      seen.refused += 1;
    }
  }

  #noteSilence(nowMs: number): void {
    const last = this.silences.at(-1);
    if (!last || nowMs < last.fromMs || nowMs >= last.untilMs) return;
    this.inSilence += 1;
    if (nowMs >= last.fromMs + ON_ITS_WAY_MS) this.inSilenceLate += 1;
  }
}
