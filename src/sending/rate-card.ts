import { configOf } from "../config/config.ts";
import { fail } from "../http/errors.ts";
import { logProblem } from "../log.ts";
import { DEFAULT_RATE_CARD, storedCardSchema } from "../money/pricing.ts";
import type { RateCard } from "../money/pricing.ts";

// The operator's rate card: one object in R2. Each isolate keeps the card that it read last, so that pricing waits for
// nothing, and looks for a newer one beside a request. An isolate that knows none yet takes the copy in its data centre's
// cache, or asks R2. What is kept are cards, never promises: a promise belongs to its request.

const OBJECT_KEY = "settings/rate-card.json";

/** How old a card may be before a request looks for a newer one, and again where that found none; in ms. */
const LOOK_AFTER_MS = 30_000;

/** A card that was looked for so long ago, in ms, is not used before R2 was asked: the bound after which a change applies. */
export const CARD_AGE_MS_MAX = 300_000;

/** R2 may take so long, in ms, where an older card is known. */
const PATIENCE_MS = 500;

/** R2 may take so long, in ms, where no card is known. */
const READ_MS_MAX = 5_000;

/** The cache's copy serves an isolate that knows no card for so long while R2 is away, in s. */
const COPY_SEC_MAX = 86_400;

interface Kept {
  card: RateCard;
  /** When it was read from R2, in ms since the epoch. */
  readAtMs: number;
  /** When a newer one was looked for last, in ms since the epoch. */
  lookedAtMs: number;
}

type Bindings = Pick<Env, "RECORDINGS">;
type Waits = Pick<ExecutionContext, "waitUntil">;

const kept = new WeakMap<R2Bucket, Kept>();

/** Keeps a card, unless a newer one is known; returns the newer one. */
function keep(bucket: R2Bucket, card: RateCard, readAtMs: number, lookedAtMs = readAtMs): Kept {
  const known = kept.get(bucket);
  if (known && known.readAtMs > readAtMs && known.readAtMs <= Date.now()) return known;
  const fresh = { card, readAtMs, lookedAtMs };
  kept.set(bucket, fresh);
  return fresh;
}

/** The card in R2. Fields that this version does not know are ignored, so that an older version can read a newer card. */
async function readCard(bucket: R2Bucket): Promise<RateCard> {
  const object = await bucket.get(OBJECT_KEY);
  return object ? storedCardSchema.parse(await object.json()) : DEFAULT_RATE_CARD;
}

/** The cache, and the copy's address in it: on the service's own host, as Cloudflare asks for. */
async function placeOfCopy(env: Bindings): Promise<{ cache: Cache; url: string }> {
  return { cache: await caches.open("rate-card"), url: `${configOf(env).CONSOLE_URL}/operator/rate-card` };
}

/** The copy in the data centre's cache, or null. Never throws: there is no cache everywhere. */
async function copyOf(env: Bindings): Promise<Pick<Kept, "card" | "readAtMs"> | null> {
  try {
    const { cache, url } = await placeOfCopy(env);
    const found = await cache.match(url);
    if (!found) return null;
    const { card, readAtMs } = await found.json<{ card: unknown; readAtMs: number }>();
    return { card: storedCardSchema.parse(card), readAtMs };
  } catch (problem) {
    logProblem("rate card's copy", problem);
    return null;
  }
}

async function writeCopy(env: Bindings, { card, readAtMs }: Kept): Promise<void> {
  try {
    const { cache, url } = await placeOfCopy(env);
    const headers = { "cache-control": `max-age=${COPY_SEC_MAX}` };
    await cache.put(url, Response.json({ card, readAtMs }, { headers }));
  } catch (problem) {
    logProblem("rate card's copy", problem);
  }
}

/** Reads the card from R2 and keeps it, with a copy in the cache; null where it cannot be read. Never throws. */
async function look(env: Bindings, ctx: Waits): Promise<Kept | null> {
  try {
    const readAtMs = Date.now();
    const fresh = keep(env.RECORDINGS, await readCard(env.RECORDINGS), readAtMs);
    ctx.waitUntil(writeCopy(env, fresh));
    return fresh;
  } catch (problem) {
    logProblem("rate card", problem);
    return null;
  }
}

/** What comes of `work` within a time; null where it takes longer. */
const within = <T>(ms: number, work: Promise<T>): Promise<T | null> =>
  Promise.race([work, scheduler.wait(ms).then(() => null)]);

/** The card of an isolate that knows none, or none of the last minutes. */
async function firstCard(env: Bindings, ctx: Waits, known: Kept | undefined): Promise<RateCard> {
  const looking = look(env, ctx);
  ctx.waitUntil(looking);
  const copy = await within(PATIENCE_MS, copyOf(env));
  const nowMs = Date.now();
  if (copy && Math.abs(nowMs - copy.readAtMs) < CARD_AGE_MS_MAX) {
    return keep(env.RECORDINGS, copy.card, copy.readAtMs, nowMs).card;
  }
  const read = await within(PATIENCE_MS, looking);
  if (read) return read.card;
  // R2 is slow or away: a card that was valid lately.
  const last = known ?? copy;
  if (last) return keep(env.RECORDINGS, last.card, last.readAtMs, nowMs).card;
  const late = await within(READ_MS_MAX, looking);
  return late?.card ?? fail("unavailable", "The prices cannot be read at the moment; repeat the request.");
}

/**
 * The current prices. An isolate that knows them answers at once, and looks for newer ones beside the request. Without any
 * (no copy in the cache, and R2 away) the request fails: 503.
 */
export async function currentRateCard(env: Bindings, ctx: Waits): Promise<RateCard> {
  const nowMs = Date.now();
  const known = kept.get(env.RECORDINGS);
  // Where the clock was set back, the time since the last look is unknown.
  const sinceMs = known ? Math.abs(nowMs - known.lookedAtMs) : Infinity;
  if (!known || sinceMs >= CARD_AGE_MS_MAX) return firstCard(env, ctx, known);
  if (sinceMs >= LOOK_AFTER_MS) {
    known.lookedAtMs = nowMs;
    ctx.waitUntil(look(env, ctx));
  }
  return known.card;
}

/** The card as it is stored, for the operator who is to change it; the last one known where R2 is away. */
export async function storedRateCard(env: Bindings, ctx: Waits): Promise<RateCard> {
  const card = (await look(env, ctx))?.card ?? kept.get(env.RECORDINGS)?.card;
  return card ?? fail("unavailable", "The prices cannot be read at the moment; repeat the request.");
}

/**
 * Replaces the card. This isolate uses it at once; every other one with its next request but one after LOOK_AFTER_MS, and
 * after CARD_AGE_MS_MAX at the latest.
 */
export async function writeRateCard(bucket: R2Bucket, card: RateCard): Promise<void> {
  await bucket.put(OBJECT_KEY, JSON.stringify(card));
  const nowMs = Date.now();
  kept.set(bucket, { card, readAtMs: nowMs, lookedAtMs: nowMs });
}
