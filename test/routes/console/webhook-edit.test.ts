import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { receipt, sendClaimed } from "../../world/events.ts";
import { hindi, inHindi } from "../../world/hindi.ts";
import { deliverAll, hooks, receive } from "../../world/webhooks.ts";
import { visit } from "../../world/visitor.ts";
import type { Page, Visitor } from "../../world/visitor.ts";
import type { World } from "../../world/world.ts";

// Editing a webhook on its page: the fields, what a change means for events that wait, and what is done then.

afterEach(() => vi.restoreAllMocks());

const FORM = { url: "https://example.com/hook", types: "message.*", description: "Orders" };
const MOVED = { ...FORM, url: "https://example.com/moved" };

const BATCH = "come together, up to 50";
const LESS = "of types that you no longer choose, are not posted";
const MORE = "those of the new types are posted as well";

async function made(visitor: Visitor): Promise<string> {
  const { text } = await visitor.submit("/endpoints", FORM);
  return /\/endpoints\/(wh_[0-9A-Za-z]+)/u.exec(text)?.[1] ?? "";
}

/** The hidden fields of the form that confirms a change. */
function confirming({ text }: Page): Record<string, string> {
  const fields = text.matchAll(/<input type="hidden" name="(url|types|description|batch|confirmed)" value="([^"]*)"/gu);
  return Object.fromEntries([...fields].map(([, name = "", value = ""]) => [name, value]));
}

const shown = async (world: World) => (await hooks(world, "GET")).body.data[0];

const changes = async (world: World) => {
  const query = "SELECT subject FROM audit WHERE action = 'webhook.changed' AND account_id = ?";
  return (await env.DB.prepare(query).bind(world.ref.accountId).all()).results;
};

describe("editing a webhook", () => {
  it("starts with what it is, and changes a description at once", async () => {
    const { visitor, world } = await visit();
    const id = await made(visitor);
    const page = await visitor.get(`/endpoints/${id}/edit`);
    expect([page.status, page.text.includes(`value="${FORM.url}"`), page.text.includes('value="message.*"')]).toEqual([
      200,
      true,
      true,
    ]);
    const saved = await visitor.submit(`/endpoints/${id}/edit`, { ...FORM, description: "Bills" });
    expect([saved.status, saved.headers.get("location")]).toEqual([303, `/endpoints/${id}?done=saved`]);
    expect(await shown(world)).toMatchObject({ ...FORM, types: ["message.*"], description: "Bills" });
    expect(await changes(world)).toEqual([{ subject: id }]);
    const same = await visitor.submit(`/endpoints/${id}/edit`, { ...FORM, description: "Bills" });
    expect(same.headers.get("location")).toContain("done=same");
    expect(await changes(world)).toHaveLength(1);
  });

  it("asks before it moves one, and then posts what waited to the new address", async () => {
    const { visitor, world } = await visit();
    const id = await made(visitor);
    receive(() => 503);
    const seq = await sendClaimed(world);
    await world.stub.report([receipt(seq, "delivered")], false);
    await deliverAll(world);
    const { got } = receive(() => 200);
    const asked = await visitor.submit(`/endpoints/${id}/edit`, MOVED);
    expect([asked.status, asked.text.includes("Events that wait go to the new address too")]).toEqual([200, true]);
    expect([(await shown(world)).url, await changes(world)]).toEqual([FORM.url, []]);
    expect((await visitor.submit(`/endpoints/${id}/edit`, confirming(asked))).status).toBe(303);
    expect(await shown(world)).toMatchObject({ url: MOVED.url });
    await deliverAll(world);
    expect(got.map(({ url }) => url)).toEqual([MOVED.url]);
    expect(await changes(world)).toHaveLength(1);
  });

  it.each([
    ["fewer types", { types: "message.failed" }, [LESS]],
    ["more types", { types: "*" }, [MORE]],
    ["other types", { types: "balance.low" }, [LESS, MORE]],
    ["the same types by another name", { types: "message.* message.failed" }, []],
    ["batches", { batch: "on" }, [BATCH]],
  ])("says what %s mean", async (_, more, expected) => {
    const { visitor } = await visit();
    const { text, status } = await visitor.submit(`/endpoints/${await made(visitor)}/edit`, { ...FORM, ...more });
    expect(status).toBe(expected.length === 0 ? 303 : 200);
    expect([LESS, MORE, BATCH].filter((sentence) => text.includes(sentence))).toEqual(expected);
  });

  it("asks again where the webhook was changed in between", async () => {
    const { visitor, world } = await visit();
    const id = await made(visitor);
    const asked = await visitor.submit(`/endpoints/${id}/edit`, { ...FORM, types: "*" });
    await hooks(world, "PATCH", `/${id}`, { batch: true });
    const again = await visitor.submit(`/endpoints/${id}/edit`, confirming(asked));
    expect([again.status, again.text.includes("each event comes alone")]).toEqual([200, true]);
    expect(await shown(world)).toMatchObject({ batch: true, types: ["message.*"] });
  });

  it("keeps a disabled one disabled, and says so", async () => {
    const { visitor, world } = await visit();
    const id = await made(visitor);
    await visitor.submit(`/endpoints/${id}/state`, { state: "disabled" });
    const asked = await visitor.submit(`/endpoints/${id}/edit`, MOVED);
    expect(asked.text).toContain("It stays disabled until you enable it.");
    await visitor.submit(`/endpoints/${id}/edit`, confirming(asked));
    expect(await shown(world)).toMatchObject({ url: MOVED.url, state: "disabled" });
  });

  it.each([
    [{ url: "nothing" }, "Enter an address such as"],
    [{ url: "https://a:b@example.com/" }, "must not have a user name"],
    [{ url: "https://example.com/#x" }, "must not have a # part"],
    [{ url: "ftp://example.com/" }, "must begin with https://"],
    [{ url: "https://10.0.0.1/" }, "not an IP address"],
    [{ url: "https://db.internal/" }, "Enter a public host name"],
    [{ types: "message.sent" }, "Enter event types"],
    [{ types: "" }, "Enter event types"],
    [{ description: "a".repeat(201) }, "200 characters"],
  ])("refuses %j at its field, keeps what was typed, and changes nothing", async (more, sentence) => {
    const { visitor, world } = await visit();
    const id = await made(visitor);
    const before = await shown(world);
    const refused = await visitor.submit(`/endpoints/${id}/edit`, { ...FORM, ...more, confirmed: "url" });
    const [[name, value] = ["", ""]] = Object.entries(more);
    expect(refused.status).toBe(400);
    expect(refused.text).toMatch(new RegExp(`id="f-${name}-error">[^<]*${sentence.replaceAll(/[.#/]/gu, ".")}`, "u"));
    expect(refused.text).toContain(`value="${value}"`);
    expect([await shown(world), await changes(world)]).toEqual([before, []]);
  });

  it("needs a fresh sign-in, and is another account's to nobody", async () => {
    const { visitor } = await visit();
    const id = await made(visitor);
    const other = (await visit()).visitor;
    expect((await other.get(`/endpoints/${id}/edit`)).status).toBe(404);
    expect((await other.submit(`/endpoints/${id}/edit`, { ...MOVED, confirmed: "url" })).status).toBe(404);
    const stale = (await visit({ authenticatedAgoMs: 11 * 60_000 })).visitor;
    for (const page of [await stale.get(`/endpoints/${id}/edit`), await stale.submit(`/endpoints/${id}/edit`, MOVED)]) {
      expect([page.status, page.headers.get("location")]).toEqual([303, expect.stringContaining("/confirm")]);
    }
  });

  it("is in Hindi", async () => {
    const { visitor } = inHindi(await visit());
    const id = await made(visitor);
    hindi(await visitor.get(`/endpoints/${id}/edit`), 200);
    const effects = await visitor.submit(`/endpoints/${id}/edit`, { ...MOVED, types: "balance.low", batch: "on" });
    hindi(effects, 200);
    for (const url of [
      "x",
      "https://10.0.0.1/",
      "https://a@example.com/",
      "https://example.com/#x",
      "https://a.lan/",
    ]) {
      hindi(await visitor.submit(`/endpoints/${id}/edit`, { ...FORM, url }), 400);
    }
    await visitor.submit(`/endpoints/${id}/edit`, { ...FORM, description: "" });
    hindi(await visitor.get(`/endpoints/${id}?done=same`), 200);
  });
});
