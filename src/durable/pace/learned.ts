import * as z from "zod";

// What was learned of a carrier's limit, as it is stored. Another release may have stored it, so that each reads only the
// fields that it knows; what it cannot read at all is learned again, and costs some refusals by the carrier.

/** What is kept of a learned limit over an eviction. */
export interface Learned {
  /** Submissions per second that the carrier took when it last refused some; null where only its silence is kept. */
  ceiling: number | null;
  /** When it last did. */
  busyAtMs: number;
  spanMs: number;
  /** Until when it wants silence. */
  quietUntilMs: number;
}

/** The same as it is stored, with when it was; an earlier release stored no time. */
export type LearnedStored = Learned & { storedMs?: number | undefined };

const stored = z.object({
  ceiling: z.number().positive().nullable(),
  // Infinite where only a silence is kept.
  busyAtMs: z.union([z.number(), z.literal(Number.NEGATIVE_INFINITY)]),
  spanMs: z.number().positive(),
  quietUntilMs: z.number(),
  storedMs: z.number().optional(),
});

/**
 * Reads what is stored; null for nothing, and for a form that this release does not know. Where it was stored later than it
 * is now, the clock was set back: a silence lasts as long from now as it did from then.
 */
export function readLearned(value: unknown, nowMs: number): Learned | null {
  const parsed = stored.safeParse(value);
  if (!parsed.success) return null;
  const { storedMs = nowMs, ...learned } = parsed.data;
  const aheadMs = Math.max(0, storedMs - nowMs);
  return { ...learned, busyAtMs: learned.busyAtMs - aheadMs, quietUntilMs: learned.quietUntilMs - aheadMs };
}
