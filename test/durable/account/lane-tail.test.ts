import { runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ClaimedJob, News, Outcome } from "../../../src/model/message.ts";
import { watchLanes } from "../../world/carriers.ts";
import { openWorld } from "../../world/world.ts";

// The last messages of a bulk, which were busy while others of it were claimed, are tried again when they are due.

const T0 = Date.now() + 86_400_000_000;
const CLAIM = { lane: "bulk", max: 100, carrier: "http", leaseMs: 60_000 } as const;
const SUBMITTED: Outcome = { kind: "submitted" };

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: T0 }));
afterEach(() => void vi.useRealTimers());

const newsOf = (jobs: ClaimedJob[] | undefined, first: Outcome = SUBMITTED): News[] =>
  (jobs ?? []).flatMap(({ seq, messages }) =>
    messages.map(({ index, attempt }, nth) => {
      const outcome = nth === 0 ? first : SUBMITTED;
      return { kind: "outcome" as const, seq, index, attempt, outcome };
    }),
  );

it("sends a token for what is busy at the time of its retry, once the consumer went", async () => {
  const world = await openWorld();
  await world.stub.send({
    keyId: world.keyId,
    requestId: "req_tail",
    operation: "sms",
    recipients: Array.from({ length: 200 }, (_, nth) => `+91${9_800_000_000 + nth}`),
    price: { kind: "fixed", units: 1 },
    content: {},
    text: null,
    validityMs: 86_400_000,
  });
  const round = (news: News[]) => world.stub.work({ news, follow: false, resubmits: false, claim: CLAIM });
  const first = await round([]);
  const second = await round(newsOf(first?.jobs, { kind: "not_accepted", code: "http_429" }));
  expect(second?.jobs).toHaveLength(1);
  const retryMs = second?.againMs ?? 0;
  // The consumer's last outcomes, after which its token ends: nothing can be claimed yet.
  await world.stub.report(newsOf(second?.jobs), false);

  const { lanes, bodies } = watchLanes();
  await runInDurableObject(world.stub, async (instance, { storage }) => {
    expect(await storage.getAlarm()).toBe(T0 + retryMs);
    vi.setSystemTime(T0 + retryMs);
    const account = instance as unknown as { env: Env; alarm: () => Promise<void> };
    const own = account.env;
    account.env = { ...own, ...lanes };
    await storage.deleteAlarm();
    await account.alarm();
    account.env = own;
  });
  expect(bodies()).toEqual([{ kind: "send", account: world.name, lane: "bulk" }]);
});
