import { evictDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { otpDefaultsOf, parseConfig } from "../../../../src/config/config.ts";
import { GAP_MS_MAX } from "../../../../src/durable/account/limits/otp-gaps.ts";
import type { SendCommand } from "../../../../src/model/command.ts";
import type { AccountRules } from "../../../../src/model/rules/rules.ts";
import { LOCAL, PRODUCTION } from "../../../world/settings.ts";
import { bearer, claim, messagesOf, openWorld, post } from "../../../world/world.ts";
import type { Opening, World } from "../../../world/world.ts";

// How often one number, and the numbers of one prefix, get codes from an account (limits/otp-gaps.ts).

/** Far ahead of the real clock, so that no alarm rings by itself. */
const START_MS = Date.UTC(2040, 0, 10, 6, 30);
const HOUR_MS = 3_600_000;
const VICTIM = "+919876543210";

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: START_MS }));
afterEach(() => vi.useRealTimers());

const limited = async (rules: Partial<AccountRules>, opening: Opening = {}) => {
  const world = await openWorld(opening);
  await world.stub.setRules(rules);
  return world;
};

let requests = 0;

async function send(world: World, to: string, more: Partial<SendCommand> = {}) {
  requests += 1;
  const result = await world.stub.send({
    keyId: world.keyId,
    requestId: `req_${requests}`,
    operation: "otp",
    recipients: [to],
    price: { kind: "otp" },
    content: {},
    text: null,
    validityMs: 300_000,
    ...more,
  });
  if (!result) throw new Error("the account is not open");
  return result;
}

const later = (ms: number) => vi.setSystemTime(Date.now() + ms);
const soon = (of: "number" | "prefix", retryAfterSec: number) => ({
  ok: false,
  reason: "otp_limited",
  of,
  retryAfterSec,
});
const sent = { ok: true };
const range = (at: number) => `+91987654${String(3000 + at)}`;
const otp = (of: World) =>
  post("http://otp.localhost/send-otp", { phone: "9876543210", otp: "4821" }, bearer(of.apiKey));

it("lets the gaps between codes to one number grow, to an end, and never shuts the number out", async () => {
  const world = await limited({ otpPerNumber: 3 });
  for (let code = 0; code < 3; code++) expect(await send(world, VICTIM)).toMatchObject(sent);
  for (const gapSec of [30, 60, 120, 240, 480, 600]) {
    expect(await send(world, VICTIM)).toMatchObject(soon("number", gapSec));
    later(gapSec * 1000 - 1);
    // Asking on lengthens nothing, and waiting for as long as the refusal says is enough.
    expect(await send(world, VICTIM)).toMatchObject(soon("number", 1));
    later(1);
    expect(await send(world, VICTIM)).toMatchObject(sent);
  }
  // However often it is asked for in a day, a code comes at least each ten minutes, and quite a few do not.
  let got = 0;
  for (let minute = 0; minute < 240; minute++) {
    if ((await send(world, VICTIM)).ok) got += 1;
    later(60_000);
  }
  expect(got).toBeGreaterThanOrEqual((240 * 60_000) / GAP_MS_MAX - 1);
  // Another number of the same account waits for nothing.
  expect(await send(world, "+919876543211")).toMatchObject(sent);
  later(HOUR_MS);
  for (let code = 0; code < 3; code++) expect(await send(world, VICTIM)).toMatchObject(sent);
});

it("does not touch the number at other accounts, whatever is asked for at one", async () => {
  const [abused, other] = [await limited({ otpPerNumber: 2 }), await limited({ otpPerNumber: 2 })];
  for (let code = 0; code < 20; code++) await send(abused, VICTIM);
  expect(await send(abused, VICTIM)).toMatchObject({ ok: false });
  expect(await send(other, VICTIM)).toMatchObject(sent);
});

it("lets the first codes of many numbers of one prefix wait, but not numbers that have one, nor other prefixes", async () => {
  const world = await limited({ otpPerPrefix: 4 });
  for (let at = 0; at < 4; at++) expect(await send(world, range(at))).toMatchObject(sent);
  expect(await send(world, range(4))).toMatchObject(soon("prefix", 30));
  expect(await send(world, range(0))).toMatchObject(sent);
  expect(await send(world, "+919812345678")).toMatchObject(sent);
  later(30_000);
  expect(await send(world, range(4))).toMatchObject(sent);
  expect(await send(world, range(5))).toMatchObject(soon("prefix", 60));
});

/** Sends codes to numbers of the range until it is limited, and returns the first one that was refused. */
async function attack(world: World, from: number): Promise<string> {
  for (let at = from; ; at++) if (!(await send(world, range(at))).ok) return range(at);
}

it("never lets a number wait for others' codes that got one before, however long ago and after an eviction", async () => {
  const world = await limited({ otpPerNumber: 2, otpPerPrefix: 4 });
  expect(await send(world, VICTIM)).toMatchObject(sent);
  later(30 * 24 * HOUR_MS);
  expect(await send(world, await attack(world, 0))).toMatchObject(soon("prefix", 30));
  await evictDurableObject(world.stub);
  expect(await send(world, VICTIM)).toMatchObject(sent);
  // Its own gap is its own.
  expect(await send(world, VICTIM)).toMatchObject(sent);
  expect(await send(world, VICTIM)).toMatchObject(soon("number", 30));
  // What got its first code after the known ones were read is known when that is an hour ago.
  later(HOUR_MS - 60_000);
  expect(await send(world, range(100))).toMatchObject(sent);
  for (let minutes = 0; minutes < 90; minutes += 30) {
    later(30 * 60_000);
    const refused = await attack(world, 200 + minutes);
    expect(await send(world, range(100))).toMatchObject(sent);
    expect(await send(world, refused)).toMatchObject({ ok: false, of: "prefix" });
  }
});

it("knows no number whose only code was refunded", async () => {
  const world = await limited({ otpPerPrefix: 4 });
  await send(world, VICTIM);
  const [job] = await claim(world, { lane: "otp", max: 1 });
  const [message] = job?.messages ?? [];
  if (!job || !message) throw new Error("nothing waits");
  const { index, attempt } = message;
  const outcome = { kind: "rejected", code: "no" } as const;
  await world.stub.report([{ kind: "outcome", seq: job.seq, index, attempt, outcome }], false);
  later(2 * HOUR_MS);
  await attack(world, 0);
  expect(await send(world, VICTIM)).toMatchObject(soon("prefix", 30));
});

/** Has the carrier reject the next message, which refunds it. */
async function rejectNext(world: World): Promise<void> {
  const [job] = await claim(world, { lane: "otp", max: 1 });
  const [message] = job?.messages ?? [];
  if (!job || !message) throw new Error("nothing waits");
  const { index, attempt } = message;
  const rejected = {
    kind: "outcome",
    seq: job.seq,
    index,
    attempt,
    outcome: { kind: "rejected", code: "no" },
  } as const;
  await world.stub.report([rejected], false);
}

it("counts the same after an eviction and where the clock was set back, and nothing that was refunded", async () => {
  const world = await limited({ otpPerNumber: 2 });
  await send(world, VICTIM);
  await send(world, VICTIM);
  expect(await send(world, VICTIM)).toMatchObject(soon("number", 30));
  await evictDurableObject(world.stub);
  expect(await send(world, VICTIM)).toMatchObject(soon("number", 30));
  later(-60_000);
  expect(await send(world, VICTIM)).toMatchObject(soon("number", 30));
  await evictDurableObject(world.stub);
  expect(await send(world, VICTIM)).toMatchObject(soon("number", 30));
  later(60_000);
  await rejectNext(world);
  await evictDurableObject(world.stub);
  expect(await send(world, VICTIM)).toMatchObject(sent);
  expect(await send(world, VICTIM)).toMatchObject(soon("number", 30));
});

it("counts no more at once what is refunded while the object is in memory", async () => {
  const world = await limited({ otpPerNumber: 1 });
  await send(world, VICTIM);
  expect(await send(world, VICTIM)).toMatchObject(soon("number", 30));
  await world.stub.report([], false);
  await rejectNext(world);
  expect(await send(world, VICTIM)).toMatchObject(sent);
});

it("is not reached by sends at the same moment, and a replay gets its reply again", async () => {
  const world = await limited({ otpPerNumber: 3 });
  const all = await Promise.all(Array.from({ length: 12 }, () => send(world, VICTIM)));
  expect(all.filter(({ ok }) => ok)).toHaveLength(3);
  const other = "+919876500000";
  const once = new Uint8Array(32);
  const idempotency = { key: once, fingerprint: once, template: once };
  await send(world, other, { idempotency });
  for (let code = 0; code < 4; code++) await send(world, other);
  expect(await send(world, other, { idempotency })).toMatchObject({ ok: true, replayed: true });
});

it("refuses with 429 and an honest Retry-After, before any charge, and is no rule where none is set", async () => {
  const world = await limited({ otpPerNumber: 1 });
  const free = await openWorld();
  expect((await otp(world)).status).toBe(200);
  const refused = await otp(world);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("30");
  expect(refused.body).toMatchObject({ code: "otp_limited", param: "phone" });
  expect(refused.text).not.toContain("98765");
  const asked = { operation: "otp", phone: "9876543210", otp: "4821" };
  const { body } = await post("http://console.localhost/v1/preflight", asked, bearer(world.apiKey));
  expect(body.problems).toMatchObject([{ code: "otp_limited", param: "phone" }]);
  expect(await messagesOf(world)).toHaveLength(1);
  for (let code = 0; code < 12; code++) expect((await otp(free)).status).toBe(200);
});

it("limits the codes of a number and of a prefix where deployed, and locally only where a variable says so", () => {
  expect(otpDefaultsOf(parseConfig(LOCAL))).toEqual({ perNumber: 0, perPrefix: 0 });
  expect(otpDefaultsOf(parseConfig(PRODUCTION))).toEqual({ perNumber: 5, perPrefix: 30 });
  expect(otpDefaultsOf(parseConfig({ ...LOCAL, OTP_PER_NUMBER: "2" }))).toEqual({ perNumber: 2, perPrefix: 0 });
  expect(otpDefaultsOf(parseConfig({ ...PRODUCTION, OTP_PER_PREFIX: "0" }))).toEqual({ perNumber: 5, perPrefix: 0 });
});
