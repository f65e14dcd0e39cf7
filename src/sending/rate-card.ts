import { fail } from "../http/errors.ts";
import { logProblem } from "../log.ts";
import { DEFAULT_RATE_CARD, rateCardSchema } from "../money/pricing.ts";
import type { RateCard } from "../money/pricing.ts";

// The operator's rate card: one object in R2, kept in the isolate for a while, so that pricing costs no hop.

const OBJECT_KEY = "settings/rate-card.json";

/** How old a card may be before the next request looks for a newer one. */
const RATE_CARD_MAX_AGE_MS = 30_000;

interface Kept {
  card: RateCard;
  readAtMs: number;
}

const kept = new WeakMap<R2Bucket, Kept>();

async function readCard(bucket: R2Bucket): Promise<RateCard> {
  const object = await bucket.get(OBJECT_KEY);
  return object ? rateCardSchema.parse(await object.json()) : DEFAULT_RATE_CARD;
}

/** The current prices. If the card cannot be read, the last one read applies; without one the request fails: 503. */
export async function currentRateCard(bucket: R2Bucket, nowMs = Date.now()): Promise<RateCard> {
  const known = kept.get(bucket);
  if (known && Math.abs(nowMs - known.readAtMs) < RATE_CARD_MAX_AGE_MS) return known.card;
  try {
    const card = await readCard(bucket);
    kept.set(bucket, { card, readAtMs: nowMs });
    return card;
  } catch (problem) {
    logProblem("rate card", problem);
    if (known) return known.card;
    return fail("unavailable", "The prices cannot be read at the moment; repeat the request.");
  }
}

/** Replaces the card. This isolate uses it at once, every other one after RATE_CARD_MAX_AGE_MS at the latest. */
export async function writeRateCard(bucket: R2Bucket, card: RateCard): Promise<void> {
  await bucket.put(OBJECT_KEY, JSON.stringify(card));
  kept.set(bucket, { card, readAtMs: Date.now() });
}
