import { describe, expect, it } from "vitest";
import type { Asked, Outgoing } from "../../src/carriers/carrier.ts";
import { simCarrier } from "../../src/carriers/sim.ts";

const ask = (to: string, more: Partial<Asked> = {}): Asked => ({ operation: "sms", to, mode: "test", ...more });

function outgoing(to: string, more: Partial<Outgoing> = {}): Outgoing {
  const nothing = { ref: "msg_1", attempt: 1, text: "Hello", content: {}, audioUrl: null };
  return { ...ask(to), ...nothing, ...more };
}

const steered = (ending: string) => `+9170000000${ending}`;

describe("the simulator, with test keys", () => {
  it.each([
    ["00", { kind: "submitted" }, { state: "delivered" }],
    ["01", { kind: "rejected", code: "rejected_by_carrier" }, { state: "delivered" }],
    ["02", { kind: "submitted" }, { state: "undelivered", code: "absent_subscriber" }],
    ["03", { kind: "submitted" }, null],
    ["05", { kind: "unknown", code: "timeout" }, null],
    ["06", { kind: "submitted" }, { state: "delivered" }],
    ["99", { kind: "submitted" }, { state: "delivered" }],
  ])("steers the outcome by a number that ends in %s", async (ending, outcome, receipt) => {
    expect(await simCarrier.submit(outgoing(steered(ending)))).toMatchObject(outcome);
    expect(await simCarrier.lookup?.(ask(steered(ending)))).toEqual(receipt);
  });

  it("is busy twice for 04, and then accepts the message", async () => {
    const outcomes = [1, 2, 3, 4].map((attempt) => simCarrier.submit(outgoing(steered("04"), { attempt })));
    expect((await Promise.all(outcomes)).map(({ kind }) => kind)).toEqual([
      "not_accepted",
      "not_accepted",
      "submitted",
      "submitted",
    ]);
    expect(await simCarrier.lookup?.(ask(steered("04")))).toEqual({ state: "delivered" });
  });

  it("accepts every other number and delivers to it", async () => {
    for (const to of [
      "+919876543210",
      "+14155550132",
      "+9170000001",
      "+91700000001",
      "+917100000001",
      "+917000000101",
    ]) {
      expect(await simCarrier.submit(outgoing(to)), to).toEqual({ kind: "submitted" });
      expect(await simCarrier.lookup?.(ask(to)), to).toEqual({ state: "delivered" });
    }
  });
});

describe("the simulator, with live keys", () => {
  it("ignores the steering numbers", async () => {
    for (let ending = 0; ending < 10; ending++) {
      const to = steered(`0${ending}`);
      expect(await simCarrier.submit(outgoing(to, { mode: "live" }))).toEqual({ kind: "submitted" });
      expect(await simCarrier.lookup?.(ask(to, { mode: "live" }))).toEqual({ state: "delivered" });
    }
  });
});
