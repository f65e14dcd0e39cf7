import { expect, it } from "vitest";
import { atTheDesk } from "../world/operators.ts";
import { openShop } from "../world/shop.ts";
import { eventOf, refundOf, settle } from "../world/settling.ts";
import { visit } from "../world/visitor.ts";
import { bearer, call, operator, recordingOf, sendSms } from "../world/world.ts";

// What the audit trail holds of recordings and of refunds in parts.

interface Act {
  action: string;
  actor: string;
  actor_kind: string;
  subject: string;
  details: Record<string, unknown>;
}

/** The recorded acts of an account, oldest first. */
async function actsOf(accountId: string): Promise<Act[]> {
  const { body } = await operator("GET", `/operator/audit?account=${accountId}&limit=500`);
  return body.data as Act[];
}

it("a recording that is renamed and deleted, by a page and by a key", async () => {
  const { visitor, person, world } = await visit();
  const [byPage, byKey] = [await recordingOf(world), await recordingOf(world, 2)];
  await visitor.submit(`/recordings/${byPage}/rename`, { name: "page.wav", mode: "live" });
  await visitor.submit(`/recordings/${byPage}/delete`, { mode: "live" });
  await visitor.submit(`/recordings/${byPage}/delete`, { mode: "live" });
  const url = `http://console.localhost/v1/recordings/${byKey}`;
  const headers = { ...bearer(world.apiKey), "content-type": "application/json" };
  const renamed = await call(url, { method: "PATCH", headers, body: JSON.stringify({ name: "key.wav" }) });
  expect(renamed.status, renamed.text).toBe(200);
  for (const status of [200, 404]) expect((await call(url, { method: "DELETE", headers })).status).toBe(status);
  const acts = await actsOf(world.ref.accountId);
  const key = expect.stringMatching(/^key_[0-9a-f]{8}$/u) as unknown;
  expect(acts.map(({ action, actor, subject, details }) => [action, actor, subject, details])).toEqual([
    ["recording.renamed", person.id, byPage, { mode: "live", name: "page.wav" }],
    ["recording.deleted", person.id, byPage, { mode: "live" }],
    ["recording.renamed", key, byKey, { mode: "live", name: "key.wav" }],
    ["recording.deleted", key, byKey, { mode: "live" }],
  ]);
  expect(new Set(acts.map((act) => act.actor_kind))).toEqual(new Set(["customer"]));
  const log = await visitor.get("/settings/activity");
  expect(log.text.match(/Deleted a recording/gu)).toHaveLength(2);
});

it("a refund in parts: each total once, however often and late it is reported", async () => {
  const shop = await openShop();
  await settle(eventOf(shop));
  for (const refundedPaise of [50_000, 50_000, 120_000, 90_000, 199_900]) {
    await settle(refundOf(shop, { refundedPaise }));
  }
  const acts = await actsOf(shop.world.ref.accountId);
  const refunds = acts.filter(({ action }) => action === "order.refunded");
  expect(refunds.map(({ details }) => details["total"])).toEqual([500, 1_200, 1_999]);
});

it("the desk says what an account owes, and nothing when it owes nothing", async () => {
  const shop = await openShop();
  await settle(eventOf(shop));
  const desk = await atTheDesk();
  const path = `/desk/accounts/${shop.world.ref.accountId}`;
  expect((await desk.get(path)).text).not.toContain("<dt>Owed</dt>");
  await sendSms(shop.world);
  await settle(refundOf(shop));
  expect((await desk.get(path)).text).toMatch(/<dt>Owed<\/dt><dd><[^>]*>₹1\.00</u);
});
