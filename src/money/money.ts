// Money is counted in whole units of 1/10,000 coin and never in floats (contract §6). One coin is one rupee.

/** Units in one coin. */
export const UNITS_PER_COIN = 10_000;

/** The largest amount, in coins, that one request may move: far above any plan, and still exact as a float. */
export const COINS_MAX = 1_000_000_000;

/** Units as coins for the wire: exact to four decimals, without float noise (148500 → 14.85). */
export function coins(units: number): number {
  return units / UNITS_PER_COIN;
}

/** Units as whole coins, rounded down (`coins_remaining`, contract §6). */
export function wholeCoins(units: number): number {
  return Math.floor(units / UNITS_PER_COIN);
}

/** Coins from the wire as units, or null when the number has more than four decimals or is too large. */
export function unitsFromCoins(amount: number): number | null {
  const units = Math.round(amount * UNITS_PER_COIN);
  if (!Number.isFinite(amount) || Math.abs(amount) > COINS_MAX || coins(units) !== amount) return null;
  return units === 0 ? 0 : units;
}
