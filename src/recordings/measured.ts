/** A duration in ms, or what was found in place of a recording that can be measured. */
export type Measured = { ok: true; durationMs: number } | { ok: false; found: string };
