import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { waitByClock, watchGateway, watchLanes, watchPace } from "../world/carriers.ts";
import { bearer, deliverLane, openWorld, post } from "../world/world.ts";

let waits: ReturnType<typeof waitByClock>;
let gateway: ReturnType<typeof watchGateway>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  waits = waitByClock();
  gateway = watchGateway();
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("OTPs that wait for the end of a silence", () => {
  it("leave at its end, not at the next whole second, also beside other accounts", async () => {
    const worlds = [await openWorld({ balance: 10_000 }), await openWorld({ balance: 10_000 })];
    const { lanes, sent } = watchLanes();
    const otp = { phone: "9876543210", otp: "048213" };
    for (const world of worlds) {
      const reply = await post("http://otp.localhost/send-otp", otp, bearer(world.apiKey));
      expect(reply.status).toBe(200);
    }
    const endMs = Date.now() + 2_300;
    const { PACE } = watchPace(() => {
      const quietMs = Math.max(0, endMs - Date.now());
      return { ...(quietMs > 0 && { atMs: [] }), againMs: quietMs, quietMs, isLimited: true };
    });
    await deliverLane(
      worlds.map((world) => ({ kind: "send" as const, account: world.name, lane: "otp" as const })),
      { CARRIER: "http", ...lanes, PACE },
    );
    expect(gateway.got).toHaveLength(2);
    // The rest are the times that answers are waited for; they are never reached here. The second one waits beside the
    // first, or asks when the clock has moved on already.
    expect(new Set(waits().filter((ms) => ms !== 5_000 && ms !== 500))).toEqual(new Set([2_300]));
    expect(sent).toEqual([]);
  });
});
