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
  /** What posts to the account's addresses: the alarm names each to its queue. */
  readonly posts: () => readonly { name: () => void; nextMs: () => number | null }[];
  /** Runs `work` in one transaction and acts on its changes. */
  readonly commit: <T>(work: (turn: Turn) => T) => T;
}
