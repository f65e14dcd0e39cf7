import { evictDurableObject } from "cloudflare:test";
import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setCarrier } from "../world/carrier-set.ts";
import { only, route, routed, send, setUpCarriers, takeDown, timelineOf } from "../world/routed.ts";
import { balanceOf, call, ledgerOf, openWorld } from "../world/world.ts";
import type { World } from "../world/world.ts";

// Receipts of providers that come before the answer to their submission, while the account's object is evicted between the
// receipt and the outcome (contract §16.2): nothing is lost, and nothing is refunded twice.

type State = "submitted" | "delivered" | "undelivered" | "failed";

interface Provider {
  set: { kind: string; settings: object; secrets: Record<string, string> };
  /** Of its address. */
  host: string;
  /** Where the receipts of a submission go: the address, and the message's reference. */
  asked: (body: string) => { url: string; ref: string };
  receipt: (to: { url: string; ref: string }, state: State) => Promise<number>;
  taken: () => Response;
  refused: () => Response;
}

const AUTH_TOKEN = "of these tests";

const GROUPS: Record<State, number> = { submitted: 1, undelivered: 2, delivered: 3, failed: 5 };

const PROVIDERS: Record<"twilio" | "infobip", Provider> = {
  twilio: {
    set: {
      kind: "twilio",
      settings: { account_sid: `AC${"0a".repeat(16)}`, from: "+14155550132" },
      secrets: { auth_token: AUTH_TOKEN },
    },
    host: "api.twilio.com",
    asked: (body) => {
      const url = new URLSearchParams(body).get("StatusCallback") ?? "";
      return { url, ref: new URL(url).searchParams.get("ref") ?? "" };
    },
    receipt: async ({ url }, state) => {
      const status = state === "submitted" ? "sent" : state;
      const signature = createHmac("sha1", AUTH_TOKEN).update(`${url}MessageStatus${status}`).digest("base64");
      const headers = { "x-twilio-signature": signature, "content-type": "application/x-www-form-urlencoded" };
      return (await call(url, { method: "POST", headers, body: `MessageStatus=${status}` })).status;
    },
    taken: () => Response.json({ sid: `SM${"0c".repeat(16)}` }, { status: 201 }),
    refused: () => Response.json({ code: 20003 }, { status: 401 }),
  },
  infobip: {
    set: {
      kind: "infobip",
      settings: { base_url: "https://xyz.api.infobip.com", sender: "DASTAK" },
      secrets: { api_key: "key" },
    },
    host: "xyz.api.infobip.com",
    asked: (body) => {
      const { messages } = JSON.parse(body) as {
        messages: [{ destinations: [{ messageId: string }]; webhooks: { delivery: { url: string } } }];
      };
      return { url: messages[0].webhooks.delivery.url, ref: messages[0].destinations[0].messageId };
    },
    receipt: async ({ url, ref }, state) => {
      const body = JSON.stringify({ results: [{ messageId: ref, status: { groupId: GROUPS[state], id: 5 } }] });
      return (await call(url, { method: "POST", headers: { "content-type": "application/json" }, body })).status;
    },
    taken: () => Response.json({ messages: [{ messageId: "x", status: { groupId: 1, name: "PENDING_ACCEPTED" } }] }),
    refused: () => Response.json({}, { status: 401 }),
  },
};

beforeEach(setUpCarriers);
afterEach(takeDown);

const NO = () => new Response(null, { status: 503 });

/** What happens at the provider while it has a submission; returns its answer. */
type During = (to: { url: string; ref: string }) => Promise<Response>;

/** Sets a provider up as `abroad`; every other host is one of the routed carriers. */
async function provider({ set, host, asked }: Provider, during: During): Promise<void> {
  await setCarrier("abroad", set);
  const others = vi.mocked(globalThis.fetch).getMockImplementation() ?? globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (address, init) => {
    const url = new URL(address instanceof Request ? address.url : address);
    if (url.hostname !== host) return others(address, init);
    const to = asked(await new Response(init?.body ?? null).text());
    routed.got.push({ carrier: "abroad", ref: to.ref });
    return during(to);
  });
}

const refunds = async (world: World) => (await ledgerOf(world)).filter(({ type }) => type === "refund").length;

const FULL = 10_000_000;
const CHARGED = 9_990_000;

const ENDS = [
  ["delivered", { state: "delivered", refunded: false }, CHARGED],
  ["undelivered", { state: "undelivered", refunded: false }, CHARGED],
  ["failed", { state: "failed", refunded: true }, FULL],
  ["submitted", { state: "submitted", refunded: false }, CHARGED],
] as const;

const ALONE = { carriers: [{ name: "abroad", weight: 1 }] };
const FIRST = { carriers: [{ name: "abroad", weight: 1 }], fallback: ["acme"] };
const LAST = { carriers: [{ name: "acme", weight: 1 }], fallback: ["abroad"] };

describe.each(["twilio", "infobip"] as const)("a receipt of %s before its answer", (kind) => {
  const { receipt, taken, refused } = PROVIDERS[kind];

  describe.each([
    ["alone", ALONE],
    ["before another", FIRST],
    ["after another that refused", LAST],
  ])("of a carrier %s", (_, to) => {
    it.each(ENDS)("%s counts once, over evictions", async (state, end, balance) => {
      const world = await openWorld();
      let asked = { url: "", ref: "" };
      await provider(PROVIDERS[kind], async (at) => {
        asked = at;
        expect(await receipt(at, state)).toBe(200);
        await evictDurableObject(world.stub);
        expect(await receipt(at, state)).toBe(200);
        await evictDurableObject(world.stub);
        return taken();
      });
      await route(to);
      routed.answers = { acme: NO };
      await send(world);
      await evictDurableObject(world.stub);
      expect(await receipt(asked, state)).toBe(200);
      expect(await only(world)).toMatchObject({ ...end, carrier: "abroad" });
      expect(await refunds(world)).toBe(end.refunded ? 1 : 0);
      expect(await balanceOf(world)).toBe(balance);
      const counted = (await timelineOf(world))?.filter((entry) => entry.state === state && !("attempt" in entry));
      expect(counted?.length).toBeLessThanOrEqual(1);
    });
  });

  it("of a failure counts for nothing where it refuses then, and another carrier takes the message", async () => {
    const world = await openWorld();
    await provider(PROVIDERS[kind], async (at) => {
      expect(await receipt(at, "failed")).toBe(200);
      await evictDurableObject(world.stub);
      return refused();
    });
    await route(FIRST);
    await send(world);
    await evictDurableObject(world.stub);
    expect(await only(world)).toMatchObject({ state: "submitted", carrier: "acme", refunded: false });
    expect(await balanceOf(world)).toBe(CHARGED);
  });
});
