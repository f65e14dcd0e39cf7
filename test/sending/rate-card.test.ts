import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DEFAULT_RATE_CARD } from "../../src/money/pricing.ts";
import { CARD_AGE_MS_MAX, currentRateCard, storedRateCard, writeRateCard } from "../../src/sending/rate-card.ts";
import { FailureError } from "../../src/http/errors.ts";

// What stands in front of a reply: nothing where an isolate knows a card. A bucket of its own makes an isolate that knows
// none; the cache is that of the runtime.

const CARD = { ...DEFAULT_RATE_CARD, smsIndia: 3 };
const CHEAPER = { ...DEFAULT_RATE_CARD, smsIndia: 2 };

type Answer = object | "away" | "slow";

/** An isolate with its bucket, whose answer a test sets, and the work that it does beside requests. */
function newIsolate(first: Answer) {
  const state = { answer: first, reads: 0, beside: [] as Promise<unknown>[] };
  const get = async () => {
    state.reads += 1;
    if (state.answer === "away") throw new Error("R2 is away");
    if (state.answer === "slow") return new Promise(() => undefined);
    const card = state.answer;
    return { json: async () => structuredClone(card) };
  };
  const bucket = { get, put: async (_: string, text: string) => void (state.answer = JSON.parse(text) as object) };
  const at = { ...env, RECORDINGS: bucket as unknown as R2Bucket };
  const ctx = { waitUntil: (work: Promise<unknown>) => void state.beside.push(work) };
  return {
    state,
    at,
    ctx,
    card: () => currentRateCard(at, ctx),
    /** Waits for what a request left behind. */
    settle: async () => {
      for (let work = state.beside.shift(); work; work = state.beside.shift()) await work;
    },
  };
}

const later = (ms: number) => vi.setSystemTime(Date.now() + ms);

const dropCopy = async () => (await caches.open("rate-card")).delete(`${env.CONSOLE_URL}/operator/rate-card`);

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.spyOn(console, "error").mockReturnValue();
  await dropCopy();
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await dropCopy();
});

describe("an isolate that knows a card", () => {
  it("answers with it at once, and with a newer one after it looked beside a request", async () => {
    const isolate = newIsolate(CARD);
    expect(await isolate.card()).toEqual(CARD);
    isolate.state.answer = CHEAPER;
    later(29_999);
    expect(await isolate.card()).toEqual(CARD);
    await isolate.settle();
    expect(isolate.state.reads).toBe(1);
    later(1);
    expect([await isolate.card(), await isolate.card()]).toEqual([CARD, CARD]);
    await isolate.settle();
    // One look, whatever the number of requests.
    expect(isolate.state.reads).toBe(2);
    expect(await isolate.card()).toEqual(CHEAPER);
  });

  it.each(["away", "slow"] as const)("goes on with it while R2 is %s, for as long as that lasts", async (answer) => {
    const isolate = newIsolate(CARD);
    await isolate.card();
    isolate.state.answer = answer;
    for (let minute = 0; minute < 1_000; minute++) {
      later(60_000);
      expect(await isolate.card()).toEqual(CARD);
    }
    // It has looked once a minute all the time.
    expect(isolate.state.reads).toBe(1_001);
    isolate.state.answer = CHEAPER;
    later(60_000);
    await isolate.card();
    await Promise.race([isolate.settle(), scheduler.wait(50)]);
    expect(await isolate.card()).toEqual(CHEAPER);
  });

  it("uses none that it has not looked for in five minutes, unless R2 does not answer", async () => {
    const isolate = newIsolate(CARD);
    await isolate.card();
    isolate.state.answer = CHEAPER;
    later(CARD_AGE_MS_MAX);
    await dropCopy();
    expect(await isolate.card()).toEqual(CHEAPER);
    isolate.state.answer = "away";
    later(CARD_AGE_MS_MAX);
    await dropCopy();
    expect(await isolate.card()).toEqual(CHEAPER);
  });

  it("uses what it wrote itself at once", async () => {
    const isolate = newIsolate(CARD);
    await isolate.card();
    await writeRateCard(isolate.at.RECORDINGS, CHEAPER);
    expect(await isolate.card()).toEqual(CHEAPER);
  });
});

describe("an isolate that knows no card", () => {
  it("reads R2 and leaves a copy, with which the next one answers while R2 is away, for a day", async () => {
    const first = newIsolate(CARD);
    expect(await first.card()).toEqual(CARD);
    await first.settle();
    for (const answer of ["away", "slow"] as const) {
      const cold = newIsolate(answer);
      expect(await cold.card()).toEqual(CARD);
      later(3_600_000);
      expect(await newIsolate(answer).card()).toEqual(CARD);
    }
  });

  it("takes no copy that is older than five minutes where R2 answers", async () => {
    const first = newIsolate(CARD);
    await first.card();
    await first.settle();
    later(CARD_AGE_MS_MAX - 1);
    expect(await newIsolate("slow").card()).toEqual(CARD);
    later(1);
    expect(await newIsolate(CHEAPER).card()).toEqual(CHEAPER);
  });

  it("never guesses a price: without R2 and without a copy it answers 503", async () => {
    const failure = newIsolate("away").card();
    await expect(failure).rejects.toThrow(FailureError);
    await expect(failure).rejects.toMatchObject({ failure: { code: "unavailable" } });
  });

  it("ignores fields of a newer version, in R2 and in the copy", async () => {
    const newer = { ...CARD, rcsIndia: 4, tiers: [{ from: 1_000, smsIndia: 2 }] };
    const first = newIsolate(newer);
    expect(await first.card()).toEqual(CARD);
    await first.settle();
    expect(await newIsolate("away").card()).toEqual(CARD);
  });

  it("shares no promise with a request that is gone", async () => {
    const isolate = newIsolate("slow");
    const gone = isolate.card();
    isolate.state.answer = CARD;
    expect(await isolate.card()).toEqual(CARD);
    gone.catch(() => undefined);
  });
});

it("shows the operator the card as it is stored, and the last one known where R2 is away", async () => {
  const isolate = newIsolate(CARD);
  await isolate.card();
  isolate.state.answer = CHEAPER;
  expect(await storedRateCard(isolate.at, isolate.ctx)).toEqual(CHEAPER);
  isolate.state.answer = "away";
  expect(await storedRateCard(isolate.at, isolate.ctx)).toEqual(CHEAPER);
  await expect(storedRateCard(newIsolate("away").at, isolate.ctx)).rejects.toThrow(FailureError);
});
