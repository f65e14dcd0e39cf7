/** A recording's length, such as 0:07 or 3:20, rounded up to a second. */
export function lengthText(durationMs: number): string {
  const seconds = Math.ceil(durationMs / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
