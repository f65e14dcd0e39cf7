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

const stored = z.object({
  ceiling: z.number().positive().nullable(),
  // Infinite where only a silence is kept.
  busyAtMs: z.union([z.number(), z.literal(Number.NEGATIVE_INFINITY)]),
  spanMs: z.number().positive(),
  quietUntilMs: z.number(),
});

/** Reads what is stored; null for nothing, and for a form that this release does not know. */
export function readLearned(value: unknown): Learned | null {
  const parsed = stored.safeParse(value);
  return parsed.success ? parsed.data : null;
}
