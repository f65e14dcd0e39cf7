import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { configOf } from "../../src/config/config.ts";
import { countingStatement } from "../../src/db/sign-in.ts";
import { PLANS } from "../../src/money/plans.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, bucketsOf } from "../../src/sign-in/buckets.ts";
import { codeLimits } from "../../src/sign-in/code-limits.ts";
import type { CodeRequest } from "../../src/sign-in/code-limits.ts";
import { networkOf, siteOf } from "../../src/sign-in/network.ts";
import { forgetOldAttempts } from "../../src/sign-in/attempts.ts";
import { forgetCounts } from "../world/codes.ts";

// A day of an attacker who passes every bot check, beside people in browsers that they used before. The statements of
// the service decide, on D1, with the times of that day.

const BATCH = 512;
const START_MS = 1_700_000_000_000;

const config = configOf(env);

interface Event {
  atMs: number;
  known: boolean;
  request: CodeRequest;
}

/** An attack: so many requests, evenly through its time, each from another address and to another phone. */
interface Attack {
  requests: number;
  lastsMs: number;
  addressOf: (n: number) => string;
  asnOf: (n: number) => string;
}

function attacks({ requests, lastsMs, addressOf, asnOf }: Attack): Event[] {
  return Array.from({ length: requests }, (_, n) => {
    const address = addressOf(n);
    const origin = { network: networkOf(address), site: siteOf(address), asn: asnOf(n), factor: 1 };
    const request = { phone: `+91900${String(n).padStart(7, "0")}`, personId: null, own: false, checked: true, origin };
    return { atMs: START_MS + Math.floor((n * lastsMs) / requests), known: false, request };
  });
}

const PEOPLE = 250;
const CODES_EACH = 5;

/** Five codes for each of 250 people, from the attacker's own networks: an hour or more apart, all over the day. */
function customers(): Event[] {
  return Array.from({ length: PEOPLE * CODES_EACH }, (_, n) => {
    const [person, turn] = [n % PEOPLE, Math.floor(n / PEOPLE)];
    const origin = { network: "2001:db8:1:1", site: "2001:db8:1", asn: "64500", factor: 1 };
    const request = { phone: `+919800000${person}`, personId: `psn_${person}`, own: true, checked: false, origin };
    return { atMs: START_MS + turn * 4 * HOUR_MS + ((person * 7_919) % 240) * MINUTE_MS, known: true, request };
  });
}

/** The times at which codes were sent, in the order of the events. */
async function play(events: Event[]): Promise<{ known: number[]; attacker: number[] }> {
  const sent = { known: [] as number[], attacker: [] as number[] };
  const ordered = events.toSorted((one, other) => one.atMs - other.atMs);
  for (let from = 0; from < ordered.length; from += BATCH) {
    const batch = ordered.slice(from, from + BATCH);
    const results = await env.DB.batch(
      batch.map(({ atMs, request }) =>
        countingStatement(env.DB, bucketsOf(config.KEY_SECRET.lowest.value, codeLimits(config, request)), atMs),
      ),
    );
    for (const [at, { known, atMs }] of batch.entries()) {
      if ((results[at]?.results.length ?? 0) > 0) sent[known ? "known" : "attacker"].push(atMs);
    }
  }
  return sent;
}

/** The most codes within any minute: what the window of the account that sends would count. */
function busiestMinute(times: number[]): number {
  const ordered = times.toSorted((one, other) => one - other);
  let [first, most] = [0, 0];
  for (const [at, time] of ordered.entries()) {
    while (time - (ordered[first] ?? time) >= MINUTE_MS) first += 1;
    most = Math.max(most, at - first + 1);
  }
  return most;
}

const rows = async () => Number(await env.DB.prepare("SELECT count(*) AS n FROM attempt").first("n"));

const hex = (n: number) => n.toString(16);

const WHOLE = { "every /64 of one /48": 65_536, "a /32 of one system": 8_192, "the whole world": 8_192 };

const ATTACKS: [keyof typeof WHOLE, most: number, Omit<Attack, "requests">][] = [
  [
    "every /64 of one /48",
    // Sixty an hour, in windows that begin with a request.
    25 * 60,
    { lastsMs: DAY_MS, addressOf: (n) => `2001:db8:1:${hex(n)}::1`, asnOf: () => "64500" },
  ],
  [
    "a /32 of one system",
    0.375 * config.CODES_PER_DAY,
    { lastsMs: DAY_MS, addressOf: (n) => `2001:db8:${hex(n)}::1`, asnOf: () => "64500" },
  ],
  [
    "the whole world",
    0.75 * config.CODES_PER_DAY,
    // More than the ceiling of a minute, until that of the day is reached.
    { lastsMs: 2 * HOUR_MS, addressOf: (n) => `2001:db8:${hex(n)}::1`, asnOf: (n) => String(n % 5_000) },
  ],
];

describe("an attacker from", () => {
  beforeEach(forgetCounts);

  it.each(ATTACKS)(
    "%s gets a share of the codes and no more, and known browsers get all of theirs",
    async (name, most, attack) => {
      const { known, attacker } = await play([...attacks({ ...attack, requests: WHOLE[name] }), ...customers()]);
      expect(known).toHaveLength(PEOPLE * CODES_EACH);
      expect(attacker.length).toBeLessThanOrEqual(most);
      // The attack is one: it gets all that the limit leaves.
      expect(attacker.length).toBeGreaterThan(most * 0.9);
      expect(busiestMinute([...known, ...attacker])).toBeLessThan(PLANS.premium.requestsPerMinute);
      expect(await rows()).toBeLessThan(8 * (known.length + attacker.length));
      await forgetOldAttempts(env, START_MS + 2 * DAY_MS);
      expect(await rows()).toBe(0);
    },
    120_000,
  );
});
