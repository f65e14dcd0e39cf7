import { describe, expect, it } from "vitest";
import { HELD_MS_MAX, Pacer } from "../../../src/durable/pace/pacer.ts";
import { KEPT_MS, LATELY_MS } from "../../../src/durable/pace/rate.ts";
import { SET_SHARE } from "../../../src/durable/pace/set-limit.ts";
import type { Lane } from "../../../src/model/lane.ts";
import type { Permits, Seen } from "../../../src/model/pace.ts";
import { seeded } from "../../world/paced.ts";

const NOTHING: Seen = { taken: 0, busy: 0 };

/** A pacing object with a clock of the test's, that uses so much of a limit that is set. */
function openPacer(setPerSec = Infinity, learned: ConstructorParameters<typeof Pacer>[1] = null) {
  const pacer = new Pacer(setPerSec / SET_SHARE, learned, seeded(1), 0);
  const world = { nowMs: 0 };
  const ask = (lane: Lane, account: string, max = 60, seen = NOTHING) => {
    const asked: { permits: Permits | null } = { permits: null };
    pacer.ask({ lane, account, max, seen }, world.nowMs, (permits) => {
      expect(asked.permits).toBe(null);
      asked.permits = permits;
    });
    return asked;
  };
  /** Lets time pass, and rings whenever the object wants to be woken. */
  const pass = (ms: number) => {
    const untilMs = world.nowMs + ms;
    for (;;) {
      const wakeMs = pacer.wakeMs(world.nowMs);
      if (wakeMs === null || wakeMs > untilMs) break;
      world.nowMs = wakeMs;
      pacer.turn(world.nowMs);
    }
    world.nowMs = untilMs;
  };
  return { pacer, world, ask, pass };
}

describe("a carrier of which no limit is known", () => {
  it("gives singles and OTPs everything at once, and leaves nothing to wake up for", () => {
    const { pacer, ask } = openPacer();
    for (const lane of ["single", "otp"] as const) {
      const { permits } = ask(lane, "a", 40);
      expect(permits).toEqual({ atMs: Array(40).fill(0), nowMs: 0, againMs: 0, quietMs: 0, isLimited: false });
    }
    expect(pacer.wakeMs(0)).toBe(null);
    expect(pacer.learned(0)).toBe(null);
  });

  it("begins slowly with bulks, which get everything at once after some seconds", () => {
    const { ask, pass, world } = openPacer();
    const perSec: number[] = [];
    for (let at = 0; at < 60; at++) {
      const asked = ask("bulk", `a${at}`);
      pass(100);
      perSec.push(asked.permits?.atMs.filter((atMs) => atMs < world.nowMs + 500).length ?? 0);
    }
    const { permits } = ask("bulk", "late");
    expect(perSec.slice(0, 5).reduce((sum, count) => sum + count)).toBeLessThanOrEqual(200);
    expect(permits?.atMs).toEqual(Array(60).fill(world.nowMs));
    expect(permits?.isLimited).toBe(false);
  });
});

describe("a carrier with a limit", () => {
  it("gives a bulk a batch with dates: a second's worth, twenty at least, four seconds ahead at most", () => {
    expect(openPacer(5).ask("bulk", "a").permits?.atMs).toEqual(Array.from({ length: 20 }, (_, at) => at * 200));
    expect(openPacer(40).ask("bulk", "a").permits?.atMs).toHaveLength(40);
    expect(openPacer(200).ask("bulk", "a").permits?.atMs).toHaveLength(60);
    expect(openPacer(1).ask("bulk", "a").permits?.atMs).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
  });

  it("holds a request until its turn, two seconds at most, then says when to ask again", () => {
    const { ask, pass, pacer } = openPacer(5);
    ask("bulk", "a");
    const waits = ask("bulk", "b");
    pass(HELD_MS_MAX - 10);
    expect(waits.permits).toBe(null);
    pass(20);
    expect(waits.permits).toMatchObject({ atMs: [], isLimited: true });
    // The batch ends at 4.0 s; its turn is half a second before that.
    expect(waits.permits?.againMs).toBeGreaterThanOrEqual(1_000);
    expect(waits.permits?.againMs).toBeLessThanOrEqual(3_000);
    pass(1_590);
    const again = ask("bulk", "b");
    expect(again.permits?.atMs[0]).toBe(4_000);
    expect(pacer.wakeMs(3_600)).toBe(null);
  });

  it("gives an OTP its permit at once, up to a second's worth ahead of its slots, which later ones pay", () => {
    const { ask, pass } = openPacer(5);
    ask("bulk", "a");
    for (let at = 0; at < 5; at++) expect(ask("otp", `o${at}`, 1).permits?.atMs).toEqual([0]);
    const sixth = ask("otp", "o", 1);
    expect(sixth.permits).toBe(null);
    pass(1_000);
    expect(sixth.permits?.atMs).toEqual([1_000]);
    // Six slots are paid: the next bulk begins at 4.0 + 1.2 s.
    pass(3_700);
    expect(ask("bulk", "b").permits?.atMs[0]).toBe(5_200);
  });

  it("tells thousands of waiting accounts to come back at different times, and forgets them in the end", () => {
    const { ask, pass, pacer } = openPacer(20);
    const all = Array.from({ length: 10_000 }, (_, at) => ask("bulk", `account ${at}`));
    pass(HELD_MS_MAX + 20);
    const told = all.map(({ permits }) => permits).filter((permits) => permits?.atMs.length === 0);
    expect(told.length).toBeGreaterThan(9_900);
    const times = told.map((permits) => permits?.againMs ?? 0);
    expect(Math.max(...times)).toBeLessThanOrEqual(60_000);
    const inOneSecond = Map.groupBy(times, (againMs) => Math.floor(againMs / 1_000));
    expect(Math.max(...[...inOneSecond.values()].map((of) => of.length))).toBeLessThan(1_500);
    expect(pacer.wakeMs(HELD_MS_MAX + 20)).toBe(null);
  });

  it("lets consumers go that are too many for their account, but never all, and no lone message", () => {
    const { ask, pass } = openPacer(5);
    ask("bulk", "other");
    const lone = Array.from({ length: 9 }, () => ask("single", "a", 1));
    const own = Array.from({ length: 12 }, () => ask("bulk", "a"));
    pass(HELD_MS_MAX + 20);
    const surplus = own.filter(({ permits }) => permits?.isSurplus === true).length;
    expect(surplus).toBeGreaterThanOrEqual(6);
    expect(surplus).toBeLessThanOrEqual(9);
    expect(lone.every(({ permits }) => permits !== null && permits.isSurplus !== true)).toBe(true);
  });

  it("gives unused permits that came back to others, once", () => {
    const { ask, pass } = openPacer(5);
    const first = ask("bulk", "a").permits?.atMs ?? [];
    pass(100);
    const waits = ask("bulk", "b", 20, { ...NOTHING, returned: [...first.slice(3), ...first.slice(3)] });
    expect(waits.permits?.atMs).toEqual(Array.from({ length: 18 }, (_, at) => 600 + at * 200));
  });
});

describe("a carrier that wants silence", () => {
  it("gets it from every lane, and from those who have permits", () => {
    const { pacer, ask, pass, world } = openPacer(20);
    const heard: number[] = [];
    pacer.listen(3_000, 0, (quietMs) => heard.push(quietMs));
    pass(1_000);
    pacer.saw({ taken: 3, busy: 1, quietMs: 5_000 }, world.nowMs);
    expect(heard).toEqual([5_000]);
    for (const lane of ["otp", "single", "bulk"] as const) {
      const { permits } = ask(lane, "a", 1);
      expect(permits).toMatchObject({ atMs: [], quietMs: 5_000, isLimited: true });
      expect(permits?.againMs).toBeGreaterThanOrEqual(5_000);
    }
    pass(4_000);
    const waits = ask("otp", "b", 1);
    pass(990);
    expect(waits.permits).toBe(null);
    pass(20);
    expect(waits.permits?.atMs[0]).toBeGreaterThanOrEqual(6_000);
  });

  it("is not waited for by a listener whose permits ended", () => {
    const { pacer, pass } = openPacer(20);
    const heard: number[] = [];
    pacer.listen(3_000, 0, (quietMs) => heard.push(quietMs));
    pass(3_000);
    expect(heard).toEqual([0]);
    expect(pacer.wakeMs(3_000)).toBe(null);
  });
});

describe("a limit that was met", () => {
  it("counts as met for some minutes, is remembered for a day, and then forgotten", () => {
    const { pacer, ask, pass, world } = openPacer();
    ask("bulk", "a");
    pass(300);
    pacer.saw({ taken: 5, busy: 20 }, world.nowMs);
    expect(ask("single", "s", 1).permits?.isLimited).toBe(true);
    const learned = pacer.learned(0);
    expect(learned?.ceiling).toBeLessThan(100);
    pass(LATELY_MS);
    expect(ask("single", "s", 1).permits).toMatchObject({ atMs: [world.nowMs], isLimited: false });
    const kept = openPacer(Infinity, { ceiling: 8, busyAtMs: -LATELY_MS, spanMs: 8_000, quietUntilMs: 0 });
    expect(kept.ask("bulk", "a").permits?.atMs).toHaveLength(20);
    const old = openPacer(Infinity, { ceiling: 8, busyAtMs: -KEPT_MS - 1, spanMs: 8_000, quietUntilMs: 0 });
    expect(old.ask("bulk", "a").permits?.atMs).toHaveLength(60);
  });

  it("is left behind by growth while the carrier takes everything", () => {
    const { ask, pass, pacer } = openPacer(Infinity, { ceiling: 5, busyAtMs: 0, spanMs: 8_000, quietUntilMs: 0 });
    let last: Permits | null = null;
    for (let at = 0; at < 1_200; at++) {
      const asked = ask("bulk", `a${at % 9}`);
      pass(100);
      last = asked.permits ?? last;
    }
    expect(last?.atMs).toHaveLength(60);
    expect(pacer.learned(0)).toBe(null);
  });

  it("survives tells that come twice, late or for nothing", () => {
    const { pacer, ask, pass, world } = openPacer();
    for (let at = 0; at < 200; at++) {
      pacer.saw({ taken: at % 3, busy: at % 2, ...(at % 50 === 0 ? { quietMs: 100 } : {}) }, world.nowMs);
      pass(50);
    }
    const asked = ask("bulk", "a");
    pass(HELD_MS_MAX + 500);
    expect(asked.permits?.atMs.length ?? 0).toBeGreaterThanOrEqual(0);
    const later = ask("otp", "b", 1);
    pass(5_000);
    expect(later.permits).not.toBe(null);
  });
});
