// Times as clients write them.

/** RFC 3339, and of ISO 8601 also without seconds and with an offset without a colon. */
const TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:(Z)|([+-])(\d{2}):?(\d{2}))$/iu;

/** A time with its offset, as ms since the epoch; null for any other text, and for a date that does not exist. */
export function readTime(text: string): number | null {
  const match = TIME.exec(text);
  if (!match) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const [fraction = "", utc, sign, hours = "0", minutes = "0"] = match.slice(7);
  if (hour > 23 || minute > 59 || second > 59 || Number(hours) > 23 || Number(minutes) > 59) return null;
  const wall = new Date(
    Date.UTC(year, month - 1, day, hour, minute, second, Number(fraction.padEnd(3, "0").slice(0, 3))),
  );
  // A day that its month does not have would be one of the next month.
  if (wall.getUTCMonth() !== month - 1 || wall.getUTCDate() !== day) return null;
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return wall.getTime() - (utc !== undefined || sign === "+" ? 1 : -1) * (utc === undefined ? offset : 0);
}
