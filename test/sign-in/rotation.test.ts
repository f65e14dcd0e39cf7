import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { ownAccountId } from "../../src/accounts/open.ts";
import { configOf } from "../../src/config/config.ts";
import { placeOrder } from "../../src/payments/orders.ts";
import { codeSenderRef } from "../../src/sign-in/code-sender.ts";
import { serviceWith } from "../world/deployment.ts";
import { codeFor, freshNumber, signInByPhone } from "../world/people.ts";
import { listing } from "../world/rotation.ts";
import { visit, Visitor } from "../world/visitor.ts";

// People, their browsers and their orders, while KEY_SECRET is replaced.

const AT = listing(2, 1);
const LATER = listing(2);

/** The same browser at a service with other settings. */
function elsewhere({ cookies }: Visitor, at: Partial<Cloudflare.Env>): Visitor {
  const visitor = new Visitor(serviceWith(at));
  for (const [name, value] of cookies) visitor.cookies.set(name, value);
  return visitor;
}

describe("a person", () => {
  it("answers a code that was sent before the switch, and stays signed in through the rotation", async () => {
    const number = freshNumber();
    const visitor = new Visitor();
    await visitor.submit("/sign-in", { phone: number });
    const after = elsewhere(visitor, AT);
    const page = await after.submit("/sign-in/code", { code: await codeFor(`+91${number}`) });
    expect(page.status).toBe(303);
    expect((await elsewhere(after, LATER).get("/settings")).status).toBe(200);
  });

  it("has a browser that is known until the old secret is taken away", async () => {
    const { visitor } = await signInByPhone(freshNumber());
    const device = visitor.cookies.get("device") ?? "";
    const kept = async (at: Partial<Cloudflare.Env>) => {
      const browser = elsewhere(visitor, at);
      await browser.submit("/sign-out");
      return browser.cookies.get("device");
    };
    expect(device).not.toBe("");
    expect(await kept(AT)).toBe(device);
  });

  it("ends a session from a page that was shown before the switch", async () => {
    const number = freshNumber();
    const { visitor } = await signInByPhone(number);
    await signInByPhone(number);
    const page = await visitor.get("/settings");
    const [, handle = ""] = /action="(\/settings\/sessions\/[\w-]+)"/u.exec(page.text) ?? [];
    expect((await elsewhere(visitor, AT).submit(handle)).status).toBe(303);
    expect((await visitor.get("/settings")).text).not.toContain(handle);
  });
});

describe("the account that sends sign-in codes", () => {
  it("is stored, and stays the same when the secret that it was derived from is gone", async () => {
    await signInByPhone(freshNumber());
    const first = await codeSenderRef(env, configOf(env));
    for (const at of [AT, LATER]) {
      const other = { ...env, ...at };
      expect(await codeSenderRef(other, configOf(other))).toEqual(first);
    }
    const late = { ...env, ...LATER };
    expect(ownAccountId(configOf(late), "codes")).not.toBe(first.accountId);
  });
});

describe("an order", () => {
  it("is one, when its form is sent twice across the switch", async () => {
    const { world } = await visit();
    const person = { accountId: world.ref.accountId, name: "Shop", buyer: null };
    const ids = [];
    for (const at of [{}, AT, LATER]) {
      const placed = await placeOrder({ ...env, ...at }, person, "business", "form-1");
      ids.push(placed.ok ? placed.order.id : placed.reason);
    }
    expect(new Set(ids)).toEqual(new Set([expect.stringMatching(/^ord_/u)]));
    const rows = env.DB.prepare("SELECT count(*) AS orders FROM payment_order WHERE account_id = ?");
    expect(await rows.bind(world.ref.accountId).first("orders")).toBe(1);
  });
});
