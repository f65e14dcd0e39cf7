import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newAccountId } from "../../src/crypto/ids.ts";
import { recordGroups as record } from "../../src/db/history.ts";
import { packGroup } from "../../src/db/message-groups.ts";
import { attemptsIn } from "../../src/model/message.ts";
import type { MessageState, MessageView } from "../../src/model/message.ts";
import { NOW_MS, STATES, historyOf, messageOf } from "../world/history.ts";

/** A message that went the usual way. */
const delivered = (seq: number, index: number, request: string): MessageView => {
  const at = NOW_MS + seq * 20_000;
  const view = { ...messageOf(7, seq, index), to: `+9198765${seq}${index}`.padEnd(13, "0"), requestId: request };
  const later = [120, 431, 7_345 + seq * 13].map((ms) => at + ms);
  const timeline = (["sending", "submitted", "delivered"] as const).map((state, step) => ({
    state,
    at: later[step] ?? at,
  }));
  const now = { rev: 3, state: "delivered" as const, attempts: 1, carrier: "http", refunded: false };
  return {
    ...view,
    ...now,
    createdAt: at,
    updatedAt: later[2] ?? at,
    timeline: [{ state: "queued", at }, ...attemptsIn(timeline, "http", null)],
  };
};

/** Bytes of the messages of a group, each. */
const size = (kind: "singles" | "bulk", messages: MessageView[]) =>
  JSON.stringify(packGroup({ kind, seq: 0, jobs: [], messages })).length / messages.length;

describe("a group in history", () => {
  it("is read as it was written, whatever its messages went through", async () => {
    const state = fc.constantFrom<MessageState>(...STATES, "sending", "unconfirmed");
    // What a retry and another carrier add; an empty name is that of a carrier that is not known.
    const by = fc.option(fc.constantFrom("acme", "sim", ""));
    const code = fc.option(fc.constantFrom("http_503", "busy"));
    const message = fc.record({
      n: fc.nat({ max: 9_999 }),
      rev: fc.integer({ min: 1, max: 500 }),
      log: fc.array(fc.tuple(state, fc.integer({ min: -5_000, max: 90_000_000 }), by, code), { maxLength: 12 }),
      errorCode: fc.option(fc.constantFrom("busy", "validity_ended")),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(message, { minLength: 1, maxLength: 64 }), fc.boolean(), async (list, isBulk) => {
        const of = { accountId: newAccountId(env.KEY_SECRET, null), mode: "live" as const };
        const messages = list.map(({ n, rev, log, errorCode }, at): MessageView => {
          const view = messageOf(n, isBulk ? 64 : 64 + at, isBulk ? at : 0);
          const entered = log.map(([state, ms, by, code]) => ({
            state,
            at: view.createdAt + ms,
            ...(by !== null && { by }),
            ...(code !== null && { code }),
          }));
          const timeline = attemptsIn(entered, view.carrier, errorCode);
          const last = timeline.at(-1) ?? { state: "queued", at: view.createdAt };
          const requestId = isBulk ? "req_one" : view.requestId;
          const now = { rev, errorCode, requestId, state: last.state, updatedAt: last.at };
          return { ...view, ...now, timeline: [...view.timeline, ...timeline] };
        });
        const jobs = [{ seq: 64, rev: 1 }];
        const group = { kind: isBulk ? ("bulk" as const) : ("singles" as const), seq: 64, jobs, messages };
        await record(env.HISTORY_1, [{ ...of, groups: [group] }]);
        expect(await historyOf({ ref: of })).toEqual(messages);
      }),
      { numRuns: 40 },
    );
  });

  it("takes at most 80 bytes for a single message and 60 for one of a bulk", () => {
    const singles = Array.from({ length: 64 }, (_, at) => delivered(at, 0, `req_Zb81kd92Ls0d7Wq${at}`.slice(0, 20)));
    const bulk = Array.from({ length: 100 }, (_, at) => delivered(3, at, "req_Zb81kd92Ls0d7Wq1"));
    expect(size("singles", singles)).toBeLessThan(80);
    expect(size("bulk", bulk)).toBeLessThan(60);
  });
});
