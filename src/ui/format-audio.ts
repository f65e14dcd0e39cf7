/** A recording's length: 0:07, 3:20. A started second counts. */
export function lengthText(durationMs: number): string {
  const seconds = Math.ceil(durationMs / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
