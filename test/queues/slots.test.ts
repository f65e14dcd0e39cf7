import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Slots } from "../../src/queues/slots.ts";

/** Lets everything proceed that can: no slot waits for a timer, so a few microtask rounds are enough. */
async function settled(): Promise<void> {
  for (let round = 0; round < 20; round++) await Promise.resolve();
}

describe("slots", () => {
  it("are taken up to the number asked for, and never more than there are", async () => {
    const slots = new Slots(5);
    expect(await slots.take(2)).toBe(2);
    expect(await slots.take(10)).toBe(3);
    slots.give(4);
    expect(await slots.take(10)).toBe(4);
  });

  it("make the next caller wait until some are free", async () => {
    const slots = new Slots(1);
    await slots.take(1);
    let got = 0;
    const waiting = slots.take(1).then((taken) => (got = taken));
    await settled();
    expect(got).toBe(0);
    slots.give(1);
    await waiting;
    expect(got).toBe(1);
  });

  it("go to the callers that waited longest, and are shared among them", async () => {
    const slots = new Slots(4);
    expect(await slots.take(4)).toBe(4);
    const order: [string, number][] = [];
    for (const name of ["first", "second", "third"]) {
      void slots.take(4).then((taken) => order.push([name, taken]));
    }
    slots.give(2);
    await settled();
    expect(order).toEqual([
      ["first", 1],
      ["second", 1],
    ]);
    slots.give(2);
    await settled();
    expect(order.map(([name]) => name)).toEqual(["first", "second", "third"]);
  });

  it("all go to a caller that waits alone", async () => {
    const slots = new Slots(4);
    await slots.take(4);
    const waiting = slots.take(3);
    slots.give(4);
    expect(await waiting).toBe(3);
    expect(await slots.take(4)).toBe(1);
  });

  it("do not go to a caller that gives and takes at once while another waits", async () => {
    const slots = new Slots(3);
    const order: string[] = [];
    const work = async (name: string, rounds: number) => {
      for (let round = 0; round < rounds; round++) {
        const taken = await slots.take(3);
        order.push(name);
        await Promise.resolve();
        slots.give(taken);
      }
    };
    await Promise.all([work("large", 6), work("small", 2)]);
    // The small worker finishes long before the large one, because they take turns.
    expect(order.slice(0, 4)).toEqual(["large", "small", "large", "small"]);
  });

  it("are all free again in the end, every waiting caller is served, and the limit is never exceeded", async () => {
    const anyWorker = fc.record({ max: fc.integer({ min: 1, max: 8 }), rounds: fc.integer({ min: 1, max: 5 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.array(anyWorker, { maxLength: 8 }),
        async (count, workers) => {
          const slots = new Slots(count);
          let out = 0;
          const done = workers.map(async ({ max, rounds }, at) => {
            for (let round = 0; round < rounds; round++) {
              const taken = await slots.take(max);
              out += taken;
              expect(taken).toBeGreaterThanOrEqual(1);
              expect(taken).toBeLessThanOrEqual(max);
              expect(out).toBeLessThanOrEqual(count);
              for (let pause = 0; pause < at % 3; pause++) await Promise.resolve();
              out -= taken;
              slots.give(taken);
            }
          });
          await Promise.all(done);
          expect(await slots.take(count + 1)).toBe(count);
        },
      ),
    );
  });
});
