import type { Log } from "../log.ts";
import { Gate } from "../mood.ts";
import type { Mood, NotNow } from "../mood.ts";
import type { Moments } from "../moments.ts";
import { randomOf, weighted } from "../random.ts";
import type { Random } from "../random.ts";
import type { Receipts } from "../receipts.ts";

// What every carrier beside the gateway does with a submission, whatever its protocol: it decides, logs it before it acts
// on it, plans its receipts, and tells those who wait for a message.

const WEIGHTS = {
  accepts: 78,
  accepts_slowly: 8,
  rejects: 4,
  busy: 3,
  hangs: 1,
  cuts: 1.2,
  fails: 1.5,
  answers_late: 0.8,
};

/** `limits` and `no_credit` are those of a mood or a trouble. */
export type Decision = keyof typeof WEIGHTS | "limits" | "no_credit";

/** The certain outcome that each decision conveys to the service; `fails` is certain over SMPP. */
const TELLS: Record<Decision, "taken" | "rejected" | "busy" | "nothing"> = {
  accepts: "taken",
  accepts_slowly: "taken",
  rejects: "rejected",
  busy: "busy",
  limits: "busy",
  no_credit: "busy",
  hangs: "nothing",
  cuts: "nothing",
  fails: "nothing",
  answers_late: "nothing",
};

/** What a carrier does with everything for a while. */
export type Trouble = "hangs" | "cuts" | "fails" | "no_credit";

/** A submission as its carrier knows it; over SMPP there is no reference. */
export interface Taken {
  /** The carrier's own id of it. */
  id: string;
  ref: string;
  /** E.164. */
  to: string;
  operation: string | null;
  text: string;
  /** Whether it proved who it is. */
  signed: boolean;
}

/** What the carrier does with one submission. */
export interface Verdict {
  n: number;
  taken: Taken;
  decision: Decision;
  tells: "taken" | "rejected" | "busy" | "nothing";
  notNow: NotNow | null;
  random: Random;
}

export interface DeskSettings {
  name: string;
  seed: string;
  log: Log;
  receipts: Receipts<Taken>;
  moments: Moments;
  /** The most submissions that it takes in a second. */
  perSec: number;
  /** Called with what it took. */
  onTaken: (taken: Taken) => void;
  /** Whether its protocol has an answer of failure that is certain. */
  failsCertainly: boolean;
  /** Whether its protocol can say when to come again: then its demand for silence is to be kept. */
  saysWhen: boolean;
}

export class Desk {
  readonly #settings: DeskSettings;
  readonly #gate: Gate;
  readonly #tries = new Map<string, number>();
  readonly #awaited = new Map<string, (taken: Taken) => void>();
  readonly #refused = new Set<string>();
  #count = 0;
  /** Null in the usual case. */
  trouble: Trouble | null = null;

  constructor(settings: DeskSettings) {
    this.#settings = settings;
    this.#gate = new Gate(settings.perSec);
  }

  set mood(mood: Mood | null) {
    this.#gate.set(mood);
  }

  /** How many submissions it has seen. */
  get seen(): number {
    return this.#count;
  }

  /** Resolves once a message to this number was taken here, and its answer was sent. */
  arrivalOf(to: string): Promise<Taken> {
    return new Promise((resolve) => this.#awaited.set(to, resolve));
  }

  /** Is busy for all messages to this number. */
  refuse(to: string): void {
    this.#refused.add(to);
  }

  /** Takes one submission; `id` becomes its own one. */
  take({ ref, to, operation, text, signed }: Omit<Taken, "id">): Verdict {
    const { name, seed, log, receipts, moments, saysWhen } = this.#settings;
    const n = (this.#count += 1);
    const tries = (this.#tries.get(to) ?? 0) + 1;
    this.#tries.set(to, tries);
    const random = randomOf(seed, "carrier", name, to, tries);
    const drawn = weighted(random, WEIGHTS);
    const notNow = this.#gate.pass();
    const decision = this.#refused.has(to) ? "busy" : (this.trouble ?? (notNow ? "limits" : drawn));
    const isCertain = decision === "fails" && this.#settings.failsCertainly;
    const tells = isCertain ? "busy" : TELLS[decision];
    const taken = { id: `${name}-${n}`, ref, to, operation, text, signed };
    const quietMs = saysWhen && decision === "limits" && notNow?.retryAfterSec ? 1_000 * notNow.retryAfterSec : null;
    const seen = { carrier: name, n: `${name}-${n}`, ...taken, decision, tells };
    log.append({ t: "submission", ...seen, ...(quietMs !== null && { quietMs }) });
    moments.note("submission");
    receipts.plan(random, taken, decision === "answers_late" ? "late" : tells);
    return { n, taken, decision, tells, notNow: decision === "limits" ? notNow : null, random };
  }

  /** Notes that the answer was sent. */
  answered({ n, taken, tells }: Verdict): void {
    const { name, log, moments, onTaken } = this.#settings;
    if (tells === "nothing") return;
    log.append({ t: "answered", carrier: name, n: `${name}-${n}`, ref: taken.ref });
    moments.note("answer");
    if (tells !== "taken") return;
    onTaken(taken);
    this.#awaited.get(taken.to)?.(taken);
  }
}
