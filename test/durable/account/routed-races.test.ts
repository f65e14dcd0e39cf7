import { evictDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { MessageView, News, Outcome, ReceiptState, Tried } from "../../../src/model/message.ts";
import { UNITS_PER_COIN } from "../../../src/money/money.ts";
import { balanceOf, claim, ledgerOf, messagesOf, openWorld, runAlarm } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { DAY_MS, NAMES, PLANS, anyHistory } from "../../world/routed-steps.ts";
import type { Answer, Step } from "../../world/routed-steps.ts";

// A message that several carriers may get, in the object: consumers that race, die and report late and twice, and receipts
// of any carrier at any time (contract §9, §16.2). What is true is kept beside it; money must agree with that.

const LEASE_MS = 60_000;
const COINS = 10;
const RANKS = ["queued", "sending", "unknown", "submitted", "unconfirmed", "undelivered failed cancelled", "delivered"];
const rank = (state: string) => RANKS.findIndex((states) => states.split(" ").includes(state));

beforeEach(() => {
  // A day ahead of the real clock, so that no alarm rings by itself.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + DAY_MS });
  vi.spyOn(Math, "random").mockReturnValue(0);
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** One claim, as its consumer knows it. */
interface Held {
  attempt: number;
  /** The carriers that its consumer offers the message to, in turn. */
  order: string[];
  tried: Tried[];
  last: Outcome | null;
  /** Whether the account need not be told of the only carrier that got it: the claim named that one. */
  named: string | null;
  endMs: number;
  isReported: boolean;
}

/** The message in its account, and what is true of it. */
class Run {
  readonly #world: World;
  readonly claims: Held[] = [];
  /** Whether a carrier that was given it said, before any refund, that it delivered it. */
  #isDelivered = false;
  #seen: MessageView | null = null;

  constructor(world: World) {
    this.#world = world;
  }

  async start(fallbacks: string[] | null): Promise<void> {
    const done = await this.#world.stub.send({
      operation: "sms",
      content: {},
      text: null,
      recipients: ["+919876500000"],
      keyId: this.#world.keyId,
      requestId: "req_1",
      price: { kind: "fixed", units: UNITS_PER_COIN },
      validityMs: DAY_MS,
      ...(fallbacks && { take: { carrier: "acme", leaseMs: LEASE_MS, fallbacks } }),
    });
    if (!done?.ok) throw new Error("it was not sent");
    if (fallbacks) this.#hold(1, ["acme", ...fallbacks], "acme");
    this.#seen = await this.#message();
  }

  #hold(attempt: number, order: string[], named: string | null): void {
    const endMs = Date.now() + LEASE_MS;
    this.claims.push({ attempt, order, tried: [], last: null, named, endMs, isReported: false });
  }

  async #message(): Promise<MessageView> {
    const [message] = await messagesOf(this.#world);
    if (!message) throw new Error("there is no message");
    return message;
  }

  /** The last claim. */
  get #open(): Held | undefined {
    return this.claims.at(-1);
  }

  async #claim({ plan, carrier = "http" }: (typeof PLANS)[number]): Promise<void> {
    const asked = { carrier, leaseMs: LEASE_MS, ...(plan && { plan, dedupes: [] }) };
    // Two consumers with the same token.
    const both = await Promise.all([claim(this.#world, asked), claim(this.#world, asked)]);
    const jobs = both.flat();
    expect(jobs.length).toBeLessThanOrEqual(1);
    const [job] = jobs;
    const [at] = job?.messages ?? [];
    if (!job || !at) return;
    const before = this.#open;
    // None gets it again unless every carrier of the claim before certainly did not take it, as was reported.
    if (before) expect(before.isReported || before.tried.length === 0).toBe(true);
    this.#hold(at.attempt, plan ?? [carrier], plan ? null : job.carrier);
  }

  #offer(answer: Answer): void {
    const held = this.#open;
    const carrier = held?.order[held.tried.length];
    if (!held || held.isReported || carrier === undefined || Date.now() >= held.endMs) return;
    if (held.last && held.last.kind !== "not_accepted") return;
    held.tried.push({ carrier, at: Date.now(), ...(answer === "refuses" && { code: "http_503" }) });
    if (answer === "refuses") held.last = { kind: "not_accepted", code: "http_503" };
    else if (answer === "takes") held.last = { kind: "submitted" };
    else if (answer === "rejects") held.last = { kind: "rejected", code: "http_400" };
    else held.last = { kind: "unknown", code: "timeout" };
  }

  #newsOf(held: Held, outcome: Outcome): News {
    const isUsual = held.tried.length <= 1 && held.tried.every(({ carrier }) => carrier === held.named);
    const offered = { tried: held.tried, follow: false, resubmits: false };
    const place = { seq: this.#seen?.seq ?? 0, index: 0, attempt: held.attempt };
    return { kind: "outcome", ...place, outcome, ...(!isUsual && held.tried.length > 0 && { offered }) };
  }

  async #report(back: number, times: number): Promise<void> {
    const held = this.claims.at(-1 - back);
    if (!held?.last) return;
    held.isReported = true;
    for (let nth = 0; nth < times; nth++) await this.#world.stub.report([this.#newsOf(held, held.last)], false);
  }

  async #receipt(carrier: string, state: ReceiptState, times: number): Promise<void> {
    const before = this.#seen;
    const offers = this.claims.flatMap(({ tried }) => tried);
    const wasGiven = offers.some((one) => one.carrier === carrier);
    if (state === "delivered" && wasGiven && before?.refunded === false) this.#isDelivered = true;
    const news: News = { kind: "receipt", seq: before?.seq ?? 0, index: 0, state, carrier };
    for (let nth = 0; nth < times; nth++) await this.#world.stub.report([news], false);
    const open = this.#open;
    if (!before || !open?.isReported) return;
    const after = await this.#message();
    const isLast = open.tried.at(-1)?.carrier === carrier;
    // All refused it, and it waits, or that came too late for it to wait.
    if (isLast && open.last?.kind === "not_accepted") return;
    // It is known who had it: a stranger's word is nothing, and of those that refused only a delivery counts.
    const hadOthers = offers.some((one) => one.carrier !== carrier);
    if (!wasGiven || (!isLast && hadOthers && state !== "delivered")) expect(after).toEqual(before);
    if (isLast && rank(state) > rank(before.state)) expect(after.state).toBe(state);
    if (isLast && state === "failed" && rank(before.state) < rank("failed")) expect(after.refunded).toBe(true);
  }

  async run(step: Step): Promise<void> {
    switch (step.kind) {
      case "claim":
        await this.#claim(PLANS[step.plan] ?? {});
        break;
      case "offer":
        this.#offer(step.answer);
        break;
      case "report":
        await this.#report(step.back, step.times);
        break;
      case "receipt":
        await this.#receipt(NAMES[step.carrier] ?? "", step.state, step.times);
        break;
      case "wait":
        await this.wait(step.ms);
        break;
      case "release": {
        const held = this.#open;
        const isOpen = ["sending", "unknown"].includes(this.#seen?.state ?? "") && this.#seen?.refunded === false;
        if (!held || held.tried.length > 0 || held.isReported || !isOpen) break;
        await this.#world.stub.report([this.#newsOf(held, { kind: "released" })], false);
        held.isReported = true;
        break;
      }
      case "evict":
        await evictDurableObject(this.#world.stub);
    }
    await this.#agree();
  }

  async wait(ms: number): Promise<void> {
    vi.setSystemTime(Date.now() + ms);
    // The end of a lease, and that of a window which has passed by then.
    for (let nth = 0; nth < 3; nth++) await runAlarm(this.#world);
  }

  async #agree(): Promise<void> {
    const [message, before] = [await this.#message(), this.#seen];
    if (before) {
      const isBack = message.state === "queued" && ["sending", "unknown"].includes(before.state);
      if (!isBack) expect(rank(message.state)).toBeGreaterThanOrEqual(rank(before.state));
      if (isBack) expect(this.#open?.isReported).toBe(true);
      if (before.refunded) expect(message.refunded).toBe(true);
      const { timeline: told, ...rest } = message;
      const { timeline, ...known } = before;
      if (message.rev === before.rev) expect([rest, told]).toEqual([known, timeline]);
    }
    const ledger = (await ledgerOf(this.#world)).filter(({ type }) => type !== "credit");
    const expected = message.refunded ? ["debit", "refund"] : ["debit"];
    expect(ledger.map(({ type }) => type)).toEqual(expected);
    expect(await balanceOf(this.#world)).toBe((message.refunded ? COINS : COINS - 1) * UNITS_PER_COIN);
    if (this.#isDelivered) expect(message.refunded).toBe(false);
    if (message.state === "failed") expect(message.refunded).toBe(true);
    this.#agreeOnAttempts(message);
    this.#seen = message;
  }

  /** Every attempt that was reported is told, in order, and each claim that was not is one attempt. */
  #agreeOnAttempts(message: MessageView): void {
    const sent = message.timeline.filter(({ state }) => state === "sending");
    const told = sent.map(({ carrier }) => carrier ?? null);
    let from = 0;
    for (const { isReported, tried } of this.claims) {
      if (isReported && tried.length === 0) continue;
      const names = isReported ? tried.map(({ carrier }) => carrier) : null;
      const many = names?.length ?? 1;
      const part = told.slice(from, from + many);
      if (names) expect(part).toEqual(names);
      from += many;
    }
    expect(told).toHaveLength(from);
    expect(message.attempts).toBe(from);
    const times = message.timeline.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  }

  /** Time alone ends it, and what was delivered is delivered. */
  async end(): Promise<string> {
    for (const ms of [700_000, 2 * DAY_MS, 4 * DAY_MS]) await this.run({ kind: "wait", ms });
    const { state, refunded } = await this.#message();
    expect(await this.#world.stub.reconcile()).toEqual([]);
    if (this.#isDelivered) expect(state).toBe("delivered");
    expect(["queued", "sending", "submitted"]).not.toContain(state);
    if (state === "unknown") expect(refunded).toBe(true);
    return `${state}${refunded ? " refunded" : ""}`;
  }
}

it(
  "costs once and is refunded once at most, and never where a carrier delivered it",
  { timeout: 240_000 },
  async () => {
    const ends = new Set<string>();
    await fc.assert(
      fc.asyncProperty(anyHistory, async ({ fallbacks, steps }) => {
        const run = new Run(await openWorld({ balance: COINS }));
        await run.start(fallbacks);
        for (const step of steps) await run.run(step);
        ends.add(await run.end());
      }),
      { numRuns: 40, seed: 11 },
    );
    // The drawn histories reach every end.
    expect([...ends]).toEqual(
      expect.arrayContaining(["delivered", "failed refunded", "unconfirmed", "undelivered", "unknown refunded"]),
    );
  },
);
