import { afterEach, beforeEach, expect, it } from "vitest";
import { ACME_SECRET } from "../world/carrier-set.ts";
import { watchAccounts } from "../world/carriers.ts";
import { countRows, warmWorld } from "../world/cost.ts";
import { stopClock } from "../world/pass.ts";
import { IN_TURN, around, carriersOf, deliver, only, order, receipt, refOf } from "../world/routed.ts";
import { route, routed, send, setUpCarriers, takeDown } from "../world/routed.ts";
import { messagesOf } from "../world/world.ts";

// What routes cost: with the first carrier nothing more than without, and a fallback neither a row nor a call.

const OWN = { CARRIER_HTTP_URL: "https://own.example.com/", CARRIER_HTTP_SECRET: ACME_SECRET };
const NO = () => new Response(null, { status: 503 });

beforeEach(async () => {
  await setUpCarriers();
  // A day ahead, so that no alarm rings by itself.
  stopClock();
});
afterEach(takeDown);

/** Rows, alarms and calls of the account for one SMS, up to its submission. */
async function costOfOne(refusals: number, isRouted = true) {
  await route(...(isRouted ? [IN_TURN] : []));
  routed.answers = Object.fromEntries(["acme", "bravo"].slice(0, refusals).map((name) => [name, NO]));
  const world = await warmWorld();
  const { ACCOUNT, calls } = watchAccounts();
  const counted = await countRows(world);
  await send(world, around({ ...OWN, ACCOUNT }));
  expect((await only(world)).state).toBe("submitted");
  return { rows: counted.rows, alarms: counted.alarms, calls: [...calls] };
}

it("is nothing for a message that the first carrier takes, and nothing for each fallback", async () => {
  const without = await costOfOne(0, false);
  expect(without.calls).toEqual(["send", "report"]);
  for (const refusals of [0, 1, 2]) expect(await costOfOne(refusals)).toEqual(without);
  expect(carriersOf()).toEqual(["own", "acme", "acme", "bravo", "acme", "bravo", "charlie"]);
});

/** The same for a bulk of so many, in which a receipt of a carrier that never had the message writes nothing. */
async function costOfBulk(isRouted: boolean, count: number) {
  await route(...(isRouted ? [IN_TURN] : []));
  const world = await warmWorld({ balance: 1_000 });
  const counted = await countRows(world);
  await order(
    world,
    Array.from({ length: count }, (_, nth) => `98765432${10 + nth}`),
  );
  await deliver(world, "bulk", around(OWN));
  const all = await messagesOf(world);
  expect(new Set(all.map(({ state }) => state))).toEqual(new Set(["submitted"]));
  const sent = { rows: counted.rows, alarms: counted.alarms };
  const [first] = all;
  if (isRouted && first) {
    await receipt("charlie", refOf(world, first), "failed");
    expect({ rows: counted.rows, alarms: counted.alarms }).toEqual(sent);
  }
  return sent;
}

it("is nothing for a bulk that is claimed at once, and a row for each further claim, of 20 messages", async () => {
  const routedOnce = await costOfBulk(true, 20);
  expect(routedOnce).toEqual(await costOfBulk(false, 20));
  expect(await costOfBulk(true, 50)).toEqual({ ...routedOnce, rows: routedOnce.rows + 2 });
});
