import { afterEach, describe, expect, it, vi } from "vitest";
import { Team } from "../../world/access.ts";
import { ADDRESS, hindi, hindiJson, inHindi, stranger } from "../../world/hindi.ts";
import { atTheDesk } from "../../world/operators.ts";
import { JSON_TYPE } from "../../world/send-form.ts";
import { openShop, tell } from "../../world/shop.ts";
import { eventOf, refundOf, settle } from "../../world/settling.ts";
import type { Visitor } from "../../world/visitor.ts";
import { visit } from "../../world/visitor.ts";
import { operator, sendSms } from "../../world/world.ts";

// The desk and the security log, seen in Hindi: none of their pages and refusals has an English sentence.

afterEach(() => vi.restoreAllMocks());

const hindiDesk = async () => inHindi({ visitor: await atTheDesk() }).visitor;

const PAGES = [
  "/desk",
  "/desk?q=nothing%20like%20this",
  "/desk/rate-card",
  "/desk/carriers",
  ...["set", "deleted", "taken"].map((done) => `/desk/carriers?done=${done}`),
  "/desk/carriers/sim",
  "/desk/carriers/sim/test",
  "/desk/new-carrier",
  "/desk/new-carrier?kind=template&preset=msg91",
  ...["smpp", "kannel", "twilio", "infobip", "http"].map((kind) => `/desk/new-carrier?kind=${kind}`),
  "/desk/routes?done=saved",
  "/desk/routes?to=%2B919876543210&operation=sms",
  "/desk/route",
  "/desk/carrier-set",
  "/desk/number-rules",
  "/desk/payments",
  "/desk/queues",
  "/desk/health",
  "/desk/reconcile",
  "/desk/audit",
  "/desk/audit?actor=someone@example.com",
  "/desk/sessions",
  ...["ended", "gone"].map((done) => `/desk/sessions?done=${done}`),
  ...["closing", "kept", "erasing"].map((done) => `/desk/leaving?done=${done}`),
];

describe("the desk in Hindi", () => {
  it.each(PAGES)("%s", async (path) => {
    hindi(await (await hindiDesk()).get(path), 200);
  });

  it("an account that owes, the question before it is suspended, and its trail", async () => {
    const desk = await hindiDesk();
    const shop = await openShop();
    const { accountId } = shop.world.ref;
    const path = `/desk/accounts/${accountId}`;
    hindi(await desk.get(`${path}/suspend`), 200);
    await settle(eventOf(shop));
    await sendSms(shop.world);
    await settle(refundOf(shop));
    for (const done of ["", "?done=changed", "?done=booked", "?done=replayed", "?mode=test"]) {
      const page = await desk.get(path + done);
      hindi(page, 200);
      expect(page.text.includes("बकाया")).toBe(done !== "?mode=test");
    }
    await desk.submit(`${path}/standing`, { status: "active" });
    await desk.submit(`${path}/standing`, { otpRate: "0.12" });
    await desk.submit(`${path}/standing`, { otpRate: "" });
    hindi(await desk.get(`/desk/audit?account=${accountId}`), 200);
  });

  it("a disputed payment, its credit notes, and what is owed since", async () => {
    const desk = await hindiDesk();
    const shop = await openShop();
    await tell(shop.order, "success");
    await tell(shop.order, "dispute");
    await sendSms(shop.world);
    await tell(shop.order, "dispute_lost");
    for (const path of [`/desk/accounts/${shop.world.ref.accountId}`, "/desk/payments"]) {
      const page = await desk.get(path);
      hindi(page, 200);
      for (const text of ["disp_", "रिफ़ंड रसीद", "हारा"]) expect(page.text).toContain(text);
      const [, note = ""] = /href="(\/desk\/notes\/[^"]+)"/u.exec(page.text) ?? [];
      hindi(await desk.get(note), 200);
    }
    hindi(await desk.get("/desk/notes/C26-27-999"), 404);
  });

  it.each([
    ["/desk/accounts", { name: "", plan: "starter" }],
    ["/desk/accounts", { name: "x", plan: "starter", balance: "many" }],
    ["/desk/rate-card", { sms: "x" }],
    ["/desk/new-carrier", { kind: "http", name: "A" }],
    ["/desk/new-carrier", { kind: "http", name: "acme", "settings.url": "x" }],
    ["/desk/new-carrier", { kind: "template", name: "acme", "settings.body": "{" }],
    ["/desk/carriers/sim/test", { to: "x" }],
    ["/desk/carriers/sim/test", { to: "+919876543210" }],
    ["/desk/routes", { do: "save", n: "0", to: "Mars", carriers: "sim" }],
    ["/desk/routes", { do: "save", n: "0", carriers: "none" }],
    ["/desk/routes", { do: "remove", n: "7" }],
    ["/desk/carrier-set", { set: "" }],
    ["/desk/carrier-set", { set: "{" }],
    ["/desk/carrier-set/take", { set: "x" }],
  ])("%s refuses %j", async (path, form) => {
    hindi(await (await hindiDesk()).submit(path, form), 400);
  });

  it("forms of an account, an unknown account, and a filter that is none", async () => {
    const desk = await hindiDesk();
    const { world } = await visit();
    const path = `/desk/accounts/${world.ref.accountId}`;
    hindi(await desk.submit(`${path}/standing`, { otpRate: "x" }), 400);
    hindi(await desk.submit(`${path}/credits`, { mode: "live", amount: "x", reference: "r" }), 400);
    hindi(await desk.submit(`${path}/credits`, { mode: "live", amount: "1" }), 400);
    hindi(await desk.submit(`${path}/credits`, { mode: "live", amount: "-9999999", reference: "r" }), 400);
    hindi(await desk.get("/desk/accounts/acc_00000000000"), 404);
    hindi(await desk.get("/desk/audit?account=x"), 400);
  });

  it("an account that is closed, and the forms that close and erase one", async () => {
    const desk = await hindiDesk();
    const { world } = await visit();
    const path = `/desk/accounts/${world.ref.accountId}`;
    hindi(await desk.get(`${path}/leave`), 200);
    hindi(await desk.submit(`${path}/close`, { graceDays: "x" }), 400);
    hindi(await desk.submit(`${path}/close`, { graceDays: "1", balance: "1", giveUp: "1" }), 403);
    hindi(await desk.submit(`${path}/erase`, { typedId: "x" }), 400);
    hindi(await desk.submit(`${path}/erase`, { typedId: world.ref.accountId }), 403);
    hindi(await desk.submit(`${path}/keep`), 403);
    expect((await desk.submit(`${path}/close`, { graceDays: "1" })).status).toBe(303);
    for (const page of [path, `${path}/leave`, "/desk/leaving", "/desk"]) hindi(await desk.get(page), 200);
    hindi(await desk.submit(`${path}/reveal`, { mode: "live" }), 200);
    hindi(await desk.get(`/desk/audit?account=${world.ref.accountId}`), 200);
  });

  it("without a session, with a wrong token, and too often", async () => {
    hindi(await stranger().get("/desk/sign-in"), 200);
    hindiJson(await stranger().get("/desk/payments", JSON_TYPE), 401);
    const visitor = stranger();
    const replies = [];
    for (let times = 0; times < 22; times += 1) {
      replies.push(await visitor.submit("/desk/sign-in", { token: "wrong" }, ADDRESS));
    }
    for (const reply of replies) hindi(reply, reply.status);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401, 429]));
  });
});

/** A page of the desk, and the reply to the script, with this status. */
const bothIn = async (visitor: Visitor, status: number, path = "/desk") => {
  inHindi({ visitor });
  hindi(await visitor.get(path), status);
  hindiJson(await visitor.get(path, JSON_TYPE), status);
};

describe("the desk behind Cloudflare Access, in Hindi", () => {
  it("opens, and refuses a role, a stranger and a request that did not come through it", async () => {
    const team = new Team();
    const admin = inHindi({ visitor: team.visitorAs("alice@example.com") }).visitor;
    for (const path of ["/desk", "/desk/sessions"]) hindi(await admin.get(path), 200);
    await bothIn(team.visitorAs("mallory@elsewhere.example"), 403);
    await bothIn(team.visitor(), 401);
    const { world } = await visit();
    await bothIn(team.visitorAs("eve@example.com"), 403, `/desk/accounts/${world.ref.accountId}/suspend`);
    const away = new Team();
    away.broken = () => new Response("", { status: 500 });
    await bothIn(away.visitorAs("alice@example.com"), 503);
  });
});

it("the security log in Hindi, empty and with acts of the owner and the operator", async () => {
  const { visitor, world } = inHindi(await visit());
  hindi(await visitor.get("/settings/activity"), 200);
  await visitor.submit("/settings", { name: "आशा" });
  await visitor.submit("/keys", { name: "नई", mode: "live" });
  await visitor.submit("/billing/orders", { plan: "business", once: crypto.randomUUID() });
  const path = `/operator/accounts/${world.ref.accountId}`;
  await operator("PATCH", path, { plan: "business", otpRate: 0.1 });
  await operator("POST", `${path}/credits`, { amount: 3, reference: "in English this" });
  const page = await visitor.get("/settings/activity");
  hindi(page, 200);
  expect(page.text).toContain("क्रेडिट जोड़ा");
});
