import { runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { AccountEvent } from "../../../../src/model/event.ts";
import type { News, Outcome } from "../../../../src/model/message.ts";
import { pause, sendBulk } from "../../../world/bulk.ts";
import { beginEvents, eventsOf, expectTold, kill, pageAfter } from "../../../world/events.ts";
import { subscribe } from "../../../world/subscriber.ts";
import type { Subscription } from "../../../world/subscriber.ts";
import { bearer, call, claim, messagesOf, openWorld, recordHistory, runAlarm, sendSms } from "../../../world/world.ts";
import type { World } from "../../../world/world.ts";

// Random histories of an account and of two who read its events, one a page at a time, the other over a socket. The object
// and both readers are killed at any moment: each event comes once, in order, and all of them tell what happened.

const SECOND = 1_000;

beforeEach(() => {
  // A day ahead of the real clock, so that no alarm fires by itself; and no flush but one that a step has run.
  vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.now() + 86_400_000 });
  vi.spyOn(console, "error").mockReturnValue();
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** An account, those who read its events, and what its carrier has to report. */
interface Story {
  world: World;
  claimed: { seq: number; index: number; attempt: number }[];
  /** What the reader of pages has stored, and with it the number to go on from. */
  read: AccountEvent[];
  socket: Subscription | null;
  /** Numbers that the reader of the socket has stored. */
  heard: number[];
  credits: number;
}

type Step = { run: (story: Story) => Promise<unknown>; toString: () => string };

const named = (name: string, run: Step["run"]): Step => ({ run, toString: () => name });

const singles = fc.constant(named("send", ({ world }) => sendSms(world)));
const later = fc.constant(
  named("send later", ({ world }) =>
    sendSms(world, { body: { sendAt: new Date(Date.now() + 3_600 * SECOND).toISOString() } }),
  ),
);
/** Takes a request back, as far as that is possible. */
const cancels = fc.nat().map((at) =>
  named(`cancel ${at}`, async ({ world }) => {
    const messages = await messagesOf(world);
    const requestId = messages[at % Math.max(1, messages.length)]?.requestId ?? "req_none";
    const url = `http://console.localhost/v1/requests/${requestId}`;
    await call(url, { method: "DELETE", headers: bearer(world.apiKey) });
  }),
);
const bulks = fc
  .integer({ min: 2, max: 230 })
  .map((count) => named(`bulk ${count}`, ({ world }) => sendBulk(world, count)));

const claims = fc
  .tuple(fc.constantFrom("single" as const, "bulk" as const), fc.integer({ min: 1, max: 120 }))
  .map(([lane, max]) =>
    named(`claim ${max} ${lane}`, async (story) => {
      const jobs = await claim(story.world, { lane, max, leaseMs: 30 * SECOND });
      story.claimed.push(...jobs.flatMap(({ seq, messages }) => messages.map((one) => ({ ...one, seq }))));
    }),
  );

const outcome = fc.constantFrom<Outcome[]>(
  { kind: "submitted" },
  { kind: "submitted" },
  { kind: "rejected", code: "http_400" },
  { kind: "unknown", code: "timeout" },
  { kind: "not_accepted", code: "http_503" },
  { kind: "released" },
);
const state = fc.constantFrom(
  "submitted" as const,
  "delivered" as const,
  "delivered" as const,
  "undelivered" as const,
  "failed" as const,
);
const told = fc.tuple(fc.nat(), fc.oneof(outcome, state));

/** Outcomes and receipts of what was claimed, in any order, and any number of times. */
const reports = fc.array(told, { minLength: 1, maxLength: 80 }).map((list) =>
  named(`report ${list.length}`, async ({ world, claimed }) => {
    const news = list.flatMap(([at, what]): News[] => {
      const one = claimed[at % Math.max(1, claimed.length)];
      if (!one) return [];
      return [
        typeof what === "string"
          ? { ...one, kind: "receipt", state: what }
          : { ...one, kind: "outcome", outcome: what },
      ];
    });
    await world.stub.report(news, false);
  }),
);

/** The same receipt for much of what was claimed, which the journal takes. */
const receipts = fc.tuple(state, fc.nat({ max: 6 })).map(([what, every]) =>
  named(`receipts ${what} for each ${every + 1}th`, async ({ world, claimed }) => {
    const some = claimed.filter((_, at) => at % (every + 1) === 0);
    await world.stub.report(
      some.map((one) => ({ ...one, kind: "receipt" as const, state: what })),
      false,
    );
  }),
);

const kills = fc.constant(named("kill", ({ world }) => kill(world)));

const waits = fc.constantFrom(40 * SECOND, 700 * SECOND, 25 * 3_600 * SECOND).map((ms) =>
  named(`wait ${ms}, alarm`, ({ world }) => {
    vi.setSystemTime(Date.now() + ms);
    return runAlarm(world);
  }),
);

const recordings = fc.constant(
  named("record", async ({ world }) => {
    const seqs = [...new Set((await messagesOf(world)).map(({ seq }) => seq))];
    await recordHistory(world, seqs);
  }),
);

const credits = fc.constant(
  named("credit", (story) => {
    story.credits += 1;
    return story.world.stub.credit({ amount: 1, reference: `gift-${story.credits}`, requestId: "req_1" });
  }),
);

/** A transaction with receipts that is rolled back. */
const failures = fc.nat().map((at) =>
  named("fail", async ({ world, claimed }) => {
    const one = claimed[at % Math.max(1, claimed.length)];
    if (!one) return;
    await runInDurableObject(world.stub, async (account, { storage }) => {
      const transactionSync = storage.transactionSync.bind(storage);
      Object.assign(storage, {
        transactionSync: <T>(work: () => T): T =>
          transactionSync(() => {
            work();
            throw new Error("the disk is full");
          }),
      });
      await expect(account.report([{ ...one, kind: "receipt", state: "delivered" }], false)).rejects.toThrow(
        "the disk is full",
      );
      Object.assign(storage, { transactionSync });
    });
  }),
);

/** Reads a page, of which only a part is stored before the reader is killed. */
const reads = fc.tuple(fc.integer({ min: 1, max: 300 }), fc.nat({ max: 300 })).map(([limit, kept]) =>
  named(`read ${limit}, keep ${kept}`, async ({ world, read }) => {
    const page = await pageAfter(world, read.length, limit);
    expect(page.map(({ seq }) => seq)).toEqual(page.map((_, at) => read.length + at + 1));
    read.push(...page.slice(0, kept));
  }),
);

/** The reader of the socket stores what it got, and is gone. */
function hangUp(story: Story): void {
  for (const { seq } of story.socket?.got ?? []) {
    expect(seq).toBe(story.heard.length + 1);
    story.heard.push(seq);
  }
  story.socket?.close();
  story.socket = null;
}

const sockets = fc.constant(
  named("connect", async (story) => {
    hangUp(story);
    story.socket = await subscribe(story.world, story.heard.length);
  }),
);

it(
  "gives each event once and in order, to readers of pages and of the socket alike, whatever is killed",
  { timeout: 180_000 },
  async () => {
    const work = [singles, later, cancels, bulks, claims, claims, reports, reports, receipts, receipts, credits];
    const step = fc.oneof(...work, kills, kills, kills, waits, recordings, failures, reads, reads, sockets);
    let events = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 40, size: "max" }), async (steps) => {
        const world = await openWorld({ balance: 100_000 });
        const story: Story = { world, claimed: [], read: [], socket: null, heard: [], credits: 0 };
        await beginEvents(world);
        for (const { run } of steps) {
          pause();
          await run(story);
        }
        await kill(world);
        const all = await eventsOf(world);
        expectTold(all, await messagesOf(world));
        expect(all.filter(({ type }) => type === "credit.added")).toHaveLength(story.credits);
        // What was read before says the same as what is there now.
        expect(story.read).toEqual(all.slice(0, story.read.length));
        hangUp(story);
        const rest = await subscribe(world, story.heard.length);
        expect((await rest.until(all.length - story.heard.length)).map(({ seq }) => seq)).toEqual(
          all.slice(story.heard.length).map(({ seq }) => seq),
        );
        const wire = await call(`http://console.localhost/v1/events?after=0&limit=500`, {
          headers: bearer(world.apiKey),
        });
        expect(wire.body.data.map(({ type }: AccountEvent) => type)).toEqual(all.slice(0, 500).map(({ type }) => type));
        expect(await world.stub.reconcile()).toEqual([]);
        events += all.length;
      }),
      { numRuns: 24 },
    );
    // The property would hold without events, too.
    expect(events).toBeGreaterThan(200);
  },
);
