import { afterEach, describe, expect, it, vi } from "vitest";
import { receipt, sendClaimed } from "../../world/events.ts";
import { hindi, inHindi } from "../../world/hindi.ts";
import { deliverAll, hooks, receive, verify } from "../../world/webhooks.ts";
import { visit } from "../../world/visitor.ts";
import type { Visitor } from "../../world/visitor.ts";

// The pages of webhooks, as their reader uses them without a script.

afterEach(() => vi.restoreAllMocks());

const FORM = { url: "https://example.com/hook", types: "message.*, balance.low", description: "Orders" };

const secretIn = (text: string): string => /value="(whsec_[^"]+)"/u.exec(text)?.[1] ?? "";
const idIn = (text: string): string => /\/endpoints\/(wh_[0-9A-Za-z]+)/u.exec(text)?.[1] ?? "";

async function made(visitor: Visitor): Promise<{ id: string; secret: string }> {
  const { text } = await visitor.submit("/endpoints", FORM);
  return { id: idIn(text), secret: secretIn(text) };
}

describe("the page of webhooks", () => {
  it("adds one, shows its secret once, and again after a fresh sign-in", async () => {
    const { visitor, world } = await visit();
    expect((await visitor.get("/endpoints")).text).toContain("No webhooks yet");
    const { id, secret } = await made(visitor);
    expect(secret).toMatch(/^whsec_/u);
    for (const path of ["/endpoints", `/endpoints/${id}`]) {
      const page = await visitor.get(path);
      expect(page.status).toBe(200);
      expect(page.text).toContain("Orders");
      expect(page.text).not.toContain(secret);
    }
    expect(secretIn((await visitor.submit(`/endpoints/${id}/show`, {})).text)).toBe(secret);
    expect((await hooks(world, "GET")).body.data[0]).toMatchObject({ types: ["message.*", "balance.low"] });
    const stale = await visit({ authenticatedAgoMs: 11 * 60_000 });
    const asked = await stale.visitor.submit(`/endpoints/${id}/show`, {});
    expect([asked.status, asked.text.includes("whsec_")]).toEqual([303, false]);
  });

  it("is another account's to nobody: 404", async () => {
    const { id } = await made((await visit()).visitor);
    const { visitor } = await visit();
    expect((await visitor.get(`/endpoints/${id}`)).status).toBe(404);
    for (const act of ["show", "rotate", "test", "replay", "state", "delete"]) {
      const form = { overlap: "0", from: "1", state: "active" };
      expect([act, (await visitor.submit(`/endpoints/${id}/${act}`, form)).status]).toEqual([act, 404]);
    }
  });

  it("shows attempts with request and answer, and sends one again", async () => {
    const { visitor, world } = await visit();
    const { id, secret } = await made(visitor);
    const { got } = receive(() => new Response("<b>taken</b>"));
    const seq = await sendClaimed(world);
    await world.stub.report([receipt(seq, "delivered")], false);
    await deliverAll(world);
    const { text } = await visitor.get(`/endpoints/${id}`);
    expect(text).toContain("message.delivered");
    expect(text).toContain("&lt;b&gt;taken&lt;/b&gt;");
    expect((await visitor.submit(`/endpoints/${id}/replay`, { from: "1", to: "1" })).text).toContain("1 events");
    await deliverAll(world);
    expect(got.map(({ id: one }) => one)).toEqual([got[0]?.id, got[0]?.id]);
    expect((await visitor.submit(`/endpoints/${id}/replay`, { from: "x" })).status).toBe(400);
    expect((await visitor.submit(`/endpoints/${id}/test`, {})).text).toContain("200");
    const last = got.at(-1);
    if (!last) throw new Error("nothing was posted");
    verify(secret, last);
    const received = Object.entries(last.headers).map(([name, value]) => `${name}: ${value}`);
    const pasted = { headers: received.join("\r\n"), body: last.body, secret };
    expect((await visitor.submit("/endpoints/verify", pasted)).text).toContain("The signature holds.");
    const spoilt = await visitor.submit("/endpoints/verify", { ...pasted, body: `${last.body} ` });
    expect(spoilt.text).toContain("Spaces or line ends");
  });

  it("says on the overview that one was disabled, and enables it again", async () => {
    const { visitor, world } = await visit();
    const { id } = await made(visitor);
    receive(() => 410);
    const seq = await sendClaimed(world);
    await world.stub.report([receipt(seq, "delivered")], false);
    await deliverAll(world);
    expect((await visitor.get("/")).text).toContain("A webhook is disabled");
    expect((await visitor.submit(`/endpoints/${id}/state`, { state: "active", skip: "on" })).status).toBe(303);
    expect((await visitor.get("/")).text).not.toContain("A webhook is disabled");
    expect((await visitor.submit(`/endpoints/${id}/delete`, {})).status).toBe(303);
    expect((await hooks(world, "GET")).body.data).toEqual([]);
  });

  it.each([
    [{ ...FORM, url: "ftp://x" }, "must begin with https"],
    [{ ...FORM, url: "https://10.0.0.1/" }, "not an IP address"],
    [{ ...FORM, types: "message.sent" }, "event types"],
    [{ ...FORM, description: "a".repeat(201) }, "200 characters"],
  ])("refuses %j, and keeps what was typed", async (form, sentence) => {
    const { visitor } = await visit();
    const { status, text } = await visitor.submit("/endpoints", form);
    expect([status, text.includes(sentence), text.includes(form.url)]).toEqual([400, true, true]);
  });

  it("is in Hindi, with every answer and refusal", async () => {
    const { visitor, world } = inHindi(await visit());
    receive(() => 410);
    hindi(await visitor.get("/endpoints"), 200);
    hindi(await visitor.submit("/endpoints", { ...FORM, url: "x" }), 400);
    const shown = await visitor.submit("/endpoints", { ...FORM, description: "" });
    hindi(shown, 200);
    const id = idIn(shown.text);
    hindi(await visitor.submit(`/endpoints/${id}/test`, {}), 200);
    hindi(await visitor.submit(`/endpoints/${id}/replay`, { from: "x" }), 400);
    const seq = await sendClaimed(world);
    await world.stub.report([receipt(seq, "delivered")], false);
    await deliverAll(world);
    hindi(await visitor.get(`/endpoints/${id}`), 200);
    hindi(await visitor.get("/"), 200);
    hindi(await visitor.submit("/endpoints/verify", { headers: "", body: "{}", secret: "x" }), 200);
  });
});
