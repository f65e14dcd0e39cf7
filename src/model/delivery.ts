// How messages of a carrier ended, as counts.

/** The bounds of `within`, in seconds. */
export const WITHIN_SEC = [5, 15, 60, 300, 1_800] as const;

/** How messages of a carrier ended. */
export interface Tally {
  carrier: string;
  delivered: number;
  undelivered: number;
  failed: number;
  unconfirmed: number;
  /** From acceptance to delivery, of all delivered ones together. */
  sumMs: number;
  /** How many were delivered within each of WITHIN_SEC. */
  within: readonly number[];
}

/** The messages of a tally that ended. */
export const endedIn = ({ delivered, undelivered, failed, unconfirmed }: Tally): number =>
  delivered + undelivered + failed + unconfirmed;

/** The share that was delivered, from 0 to 1; null where none ended. */
export function deliveredShare(tally: Tally): number | null {
  const ended = endedIn(tally);
  return ended === 0 ? null : tally.delivered / ended;
}

/**
 * Within how many seconds a share of the delivered messages was delivered: the least of WITHIN_SEC that holds, Infinity
 * beyond the largest, null where none was delivered.
 */
export function deliveredWithinSec({ delivered, within }: Tally, share: number): number | null {
  if (delivered === 0) return null;
  const at = within.findIndex((count) => count >= delivered * share);
  return WITHIN_SEC[at] ?? Infinity;
}
