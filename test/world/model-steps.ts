import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { expect, vi } from "vitest";
import { messageId } from "../../src/crypto/ids.ts";
import { signedHeaders } from "../../src/crypto/webhook-signature.ts";
import { LANES } from "../../src/model/lane.ts";
import type { Lane } from "../../src/model/lane.ts";
import type { ClaimedJob, News, Outcome, ReceiptState } from "../../src/model/message.ts";
import { placeOf } from "./model-sends.ts";
import type { Pair, Step } from "./model-sends.ts";
import { LEASE_MS, PASS_MS } from "./model.ts";
import type { Held, ModelMessage } from "./model-message.ts";
import type { Model } from "./model.ts";
import { dispatch, follow, messagesOf, post, runAlarm } from "./world.ts";
import type { World } from "./world.ts";

// The steps of random histories that come after the sends: each does the same to an account and to its plain model.

const outcome = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Outcome>({ kind: "submitted" }) },
  fc.constant<Outcome>({ kind: "rejected", code: "no" }),
  {
    weight: 3,
    arbitrary: fc.constantFrom(undefined, 3_000, 3_600_000).map((ms): Outcome => ({
      kind: "not_accepted",
      code: "http_429",
      ...(ms !== undefined && { retryAfterMs: ms }),
    })),
  },
  fc.constant<Outcome>({ kind: "not_sent", code: "internal_error" }),
  { weight: 2, arbitrary: fc.constant<Outcome>({ kind: "released" }) },
  fc.constant<Outcome>({ kind: "unknown", code: "timeout" }),
);

/** Held attempts with their outcomes: some of those that are open, in any order. */
const reported = fc.array(fc.record({ at: fc.nat(500), outcome }), { maxLength: 30 });

/** Takes attempts out of the consumers' hands, each with its outcome. */
function reportsOf({ held }: Model, chosen: { at: number; outcome: Outcome }[]): { one: Held; outcome: Outcome }[] {
  return chosen.flatMap(({ at, outcome }) => {
    const [one] = held.length === 0 ? [] : held.splice(at % held.length, 1);
    return one ? [{ one, outcome }] : [];
  });
}

const newsOf = ({ one: { message, attempt }, outcome }: { one: Held; outcome: Outcome }): News => ({
  kind: "outcome",
  seq: message.seq,
  index: message.index,
  attempt,
  outcome,
});

/** Those messages that were never claimed, as since when they wait and in which job. */
const fresh = (messages: Iterable<ModelMessage>) =>
  [...messages]
    .filter(({ claims }) => claims === 0)
    .map(({ dueAt, seq }) => [dueAt, seq] as const)
    .toSorted(([at, seq], [otherAt, other]) => at - otherAt || seq - other);

/** Compares what a consumer claimed with what waited, and claims the same in the model. */
function agreeOnClaims({ model }: Pair, lane: Lane, max: number, jobs: ClaimedJob[]): void {
  const waiting = new Map(model.claimable(lane).map((message) => [placeOf(message), message]));
  const claimed = jobs.flatMap(({ seq, messages }) => messages.map(({ index, attempt }) => ({ seq, index, attempt })));
  expect(claimed.length).toBe(Math.min(max, waiting.size));
  const taken = claimed.map((one) => {
    const message = waiting.get(placeOf(one));
    if (!message) throw new Error(`${placeOf(one)} was claimed and did not wait`);
    waiting.delete(placeOf(one));
    return { message, attempt: one.attempt };
  });
  // What was never claimed goes in the order of its times, and then in that in which it was ordered.
  const [last, next] = [fresh(taken.map(({ message }) => message)).at(-1), fresh(waiting.values())[0]];
  if (last && next) expect(last[0] - next[0] || last[1] - next[1]).toBeLessThanOrEqual(0);
  for (const { message, attempt } of taken) {
    const held = model.claim(message);
    expect(attempt).toBe(held.attempt);
    model.held.push(held);
  }
}

/** A round of a consumer: outcomes of earlier claims, then the next claims, in one call. */
export const rounds = fc
  .record({ lane: fc.constantFrom(...LANES), max: fc.constantFrom(1, 7, 60), chosen: reported })
  .map(({ lane, max, chosen }): Step => ({
    name: `round(${lane}, ${max}, ${chosen.length})`,
    run: async (pair) => {
      const { model, world } = pair;
      const reports = reportsOf(model, chosen);
      const claim = { lane, max, carrier: "sim", leaseMs: LEASE_MS };
      const asked = { news: reports.map(newsOf), follow: false, resubmits: model.resubmits, claim };
      const done = await world.stub.work(asked);
      for (const { one, outcome } of reports) model.report(one, outcome);
      agreeOnClaims(pair, lane, max, done?.jobs ?? []);
    },
  }));

/** Outcomes that are reported on their own, perhaps twice. */
export const reports = fc
  .record({ chosen: reported, times: fc.integer({ min: 1, max: 2 }) })
  .map(({ chosen, times }): Step => ({
    name: `report(${chosen.map(({ outcome }) => outcome.kind).join()}) x${times}`,
    run: async ({ model, world }) => {
      const told = reportsOf(model, chosen);
      for (let at = 0; at < times; at++) await world.stub.report(told.map(newsOf), false, model.resubmits);
      for (const { one, outcome } of told) model.report(one, outcome);
    },
  }));

/** A message or a request is taken back, perhaps twice: at any state, claimed or not. */
export const takeBacks = fc
  .record({ at: fc.nat(300), whole: fc.boolean(), times: fc.integer({ min: 1, max: 2 }) })
  .map(({ at, whole, times }): Step => ({
    name: `takeBack(${at}, ${whole}) x${times}`,
    run: async ({ model, world }) => {
      const message = model.messages[at % Math.max(1, model.messages.length)];
      if (!message) return;
      const { seq, index, first } = message;
      const asked = whole ? await requestOf(world, seq) : { seq, index };
      const meant = whole ? model.messages.filter((one) => one.first === first) : [message];
      const expected = model.takeBack(meant) ?? "too_late";
      for (let time = 0; time < times; time++) expect(await world.stub.takeBack(asked)).toEqual(expected);
    },
  }));

/** A request, as the account finds it by one of its jobs. */
async function requestOf(world: World, seq: number): Promise<{ requestId: string; near: { seq: number } }> {
  const [view] = (await world.stub.messages({ seq, index: -1 }, 1)) ?? [];
  return { requestId: view?.requestId ?? "", near: { seq } };
}

/** Consumers die with all that they hold. */
export const deaths = fc.constant<Step>({
  name: "die",
  run: async ({ model }) => {
    model.held.length = 0;
  },
});

const seqsOf = (model: Model) => [...new Set(model.messages.map((message) => message.seq))];

export const dispatches = fc.integer({ min: 1, max: 3 }).map((times): Step => ({
  name: `dispatch x${times}`,
  run: async ({ model, world }) => {
    // The simulator does not recognise references.
    if (model.resubmits) return;
    // Parallel redelivery: only the first finds anything to do.
    await Promise.all(Array.from({ length: times }, () => dispatch(world, seqsOf(model))));
    model.dispatch();
  },
}));

export const follows = fc.constant<Step>({
  name: "follow",
  run: async ({ model, world }) => {
    if (model.resubmits) return;
    await follow(world, seqsOf(model));
    model.follow();
  },
});

const receiptState = fc.constantFrom<ReceiptState>("submitted", "delivered", "undelivered", "failed");

export const receipts = fc
  .record({ at: fc.nat(200), state: receiptState, times: fc.integer({ min: 1, max: 2 }) })
  .map(({ at, state, times }): Step => ({
    name: `receipt(${at}, ${state}) x${times}`,
    run: async ({ model, world }) => {
      const message = model.messages[at % Math.max(1, model.messages.length)];
      if (!message) return;
      const operation = message.lane === "otp" ? "otp" : "sms";
      // Only its own carrier may tell of it, and the simulator's receipts come by no address.
      const { carrier } = (await messagesOf(world)).find((one) => one.seq === message.seq) ?? {};
      const news = { kind: "receipt", seq: message.seq, index: message.index, state, carrier: "sim" } as const;
      const body = JSON.stringify({ ref: messageId(env.KEY_SECRET, world.ref, operation, message), state });
      for (let sent = 0; sent < times; sent++) {
        const headers = signedHeaders(env.CARRIER_HTTP_SECRET, "id", body, Date.now());
        if (carrier === "sim") await world.stub.report([news], false);
        if (carrier === "sim") continue;
        expect((await post("http://console.localhost/callbacks/http", body, headers)).status).toBe(200);
      }
      model.receipt(message, state);
    },
  }));

/** Receipts of a bulk, one by one in random order, some at once: most of them only join the journal. */
export const floods = fc
  .array(fc.record({ at: fc.nat(500), state: receiptState }), { minLength: 5, maxLength: 60 })
  .map((news): Step => ({
    name: `flood(${news.length})`,
    run: async ({ model, world }) => {
      const bulk = model.messages.filter(({ lane }) => lane === "bulk");
      const told = news.flatMap(({ at, state }) => {
        const message = bulk[at % Math.max(1, bulk.length)];
        return message ? [{ message, state }] : [];
      });
      for (const { message, state } of told) {
        const { seq, index } = message;
        await world.stub.report([{ kind: "receipt", seq, index, state }], false);
        model.receipt(message, state);
      }
    },
  }));

export const evictions = fc.constant<Step>({ name: "evict", run: ({ world }) => evictDurableObject(world.stub) });

/** Rings of an alarm that sets itself again at once. */
const RINGS_MAX = 100;

/** The alarm rings, early or in time, and again while it sets itself for what is due. */
async function ring({ model, world }: Pair): Promise<void> {
  const isDue = async () => {
    const at = await runInDurableObject(world.stub, (_, state) => state.storage.getAlarm());
    return at !== null && at <= Date.now();
  };
  if (!(await runAlarm(world))) return;
  for (let rings = 1; await isDue(); rings++) {
    expect(rings).toBeLessThan(RINGS_MAX);
    await runAlarm(world);
  }
  const seen = new Map((await messagesOf(world)).map((view) => [placeOf(view), view]));
  model.alarm((message) => seen.get(placeOf(message)));
}

export const alarms = fc.constant<Step>({ name: "alarm", run: ring });

function wait({ model }: Pair, ms: number): void {
  vi.setSystemTime(Date.now() + ms);
  model.nowMs = Date.now();
}

/** Leases end while their consumers live on, and the housekeeping notices. */
export const lapses = fc.constant<Step>({
  name: "lapse",
  run: async (pair) => {
    wait(pair, PASS_MS + LEASE_MS);
    await ring(pair);
  },
});

export const waits = fc
  .constantFrom(3_000, 40_000, 290_000, 700_000, 25 * 3_600_000, 25 * 3_600_000, 80 * 3_600_000)
  .map((ms): Step => ({
    name: `wait ${ms}`,
    run: async (pair) => wait(pair, ms),
  }));
