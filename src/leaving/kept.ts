// How long the law keeps an invoice: 72 months from the day on which the annual return of its year is due (CGST Act §36),
// which is 31 December after the end of the financial year (CGST Rules, Rule 80).

const IST_MS = 5.5 * 3_600_000;

/** April, counted from 0: financial years begin with it. */
const APRIL = 3;

const MONTHS = 72;

/** When an invoice of this time may be deleted, in ms: the first moment after the last day, in India. */
export function keptUntil(issuedAt: number): number {
  const day = new Date(issuedAt + IST_MS);
  const endsIn = day.getUTCFullYear() + (day.getUTCMonth() >= APRIL ? 1 : 0);
  return Date.UTC(endsIn + MONTHS / 12 + 1, 0, 1) - IST_MS;
}
