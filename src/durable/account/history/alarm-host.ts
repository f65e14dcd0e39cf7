import type { Keeps, Turn } from "../turn.ts";

/** What the alarm needs from its object. */
export interface AlarmHost {
  readonly ctx: DurableObjectState;
  /** The bindings as they are now. */
  readonly env: () => Env;
  /** The interval between two sweeps, in ms (`SWEEP_MS`). */
  readonly sweepMs: () => number;
  /** How long the account keeps what it forgets. Throws while the configuration is broken. */
  readonly keeps: () => Keeps;
  /** The webhooks of the account, which the alarm names to their queue. */
  readonly webhooks: () => { name: () => void; nextMs: () => number | null };
  /** Runs `work` in one transaction and acts on its changes. */
  readonly commit: <T>(work: (turn: Turn) => T) => T;
}
