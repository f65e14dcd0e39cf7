import * as z from "zod";
import type { Evidence } from "../../routing/drift.ts";

const count = z.number().min(0);
const stored = z.object({ delivered: count, final: count, timed: count, logMs: count, atMs: z.number() });

/** Reads what is stored of receipts; null for nothing, and for a form that this release does not know. */
export function readEvidence(value: unknown, nowMs: number): Evidence | null {
  const parsed = stored.safeParse(value);
  return parsed.success ? { ...parsed.data, atMs: Math.min(nowMs, parsed.data.atMs) } : null;
}
