// How the shares of a route's carriers follow what they deliver and how fast (contract §16.2). Evidence fades, so that a
// carrier that gets little is taken for a good one again little by little; and shares are never 0, so that it is tried.

/** Evidence counts half after this time, in ms. */
const HALF_MS = 1_200_000;

/** So many receipts say nothing yet; with so many more, they say half of what they would in great number. */
const SAMPLES_MIN = 20;
const SAMPLES_HALF = 20;

/** A delivery that takes this long is worth a little less than one that takes no time; in ms. */
const SLOW_MS = 60_000;
const SLOW_POWER = 0.25;

/** How much shares differ where merits do, and the least of them. */
const POWER = 6;
export const SHARE_MIN = 0.05;

/** What receipts say of a carrier: counts of final ones that fade, as of a time, and the mean of the logarithms of times. */
export interface Evidence {
  delivered: number;
  final: number;
  /** How many deliveries have a known time, and the sum of the logarithms of their ms. */
  timed: number;
  logMs: number;
  atMs: number;
}

export const noEvidence = (atMs: number): Evidence => ({ delivered: 0, final: 0, timed: 0, logMs: 0, atMs });

/** The evidence as of a later time. */
function faded({ delivered, final, timed, logMs, atMs }: Evidence, nowMs: number): Evidence {
  const part = 0.5 ** (Math.max(0, nowMs - atMs) / HALF_MS);
  return { delivered: delivered * part, final: final * part, timed: timed * part, logMs: logMs * part, atMs: nowMs };
}

/** The evidence with these receipts; `deliveryMs` are the times that are known of deliveries among them. */
export function withReceipts(
  evidence: Evidence,
  { delivered, final, deliveryMs }: { delivered: number; final: number; deliveryMs: readonly number[] },
  nowMs: number,
): Evidence {
  const known = faded(evidence, nowMs);
  return {
    delivered: known.delivered + delivered,
    final: known.final + final,
    timed: known.timed + deliveryMs.length,
    logMs: deliveryMs.reduce((sum, ms) => sum + Math.log(Math.max(1, ms)), known.logMs),
    atMs: nowMs,
  };
}

/** What a carrier is worth, above 0 and at most 1, which it is while nothing is known of it. */
export function meritOf(evidence: Evidence, nowMs: number): number {
  const { delivered, final, timed, logMs } = faded(evidence, nowMs);
  const beyond = Math.max(0, final - SAMPLES_MIN);
  const weight = beyond / (beyond + SAMPLES_HALF);
  const typicalMs = timed > 0 ? Math.exp(logMs / timed) : 0;
  const speed = (SLOW_MS / (SLOW_MS + typicalMs)) ** SLOW_POWER;
  const worth = final > 0 ? Math.min(1, delivered / final) * speed : 1;
  return 1 - weight * (1 - worth);
}

/** What a weight is multiplied by, from 0.05 to 1: the carrier's merit beside the best one of its route. */
export function shareOf(merit: number, best: number): number {
  const part = best > 0 ? Math.min(1, Math.max(0, merit) / best) : 1;
  return Math.max(SHARE_MIN, part ** POWER);
}
