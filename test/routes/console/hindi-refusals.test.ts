import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import worker from "../../../src/worker.ts";
import { incoming } from "../../world/deployment.ts";
import { englishIn } from "../../world/english.ts";
import { ADDRESS, hindi, hindiJson, inHindi, known, stranger } from "../../world/hindi.ts";
import { atTheDesk } from "../../world/operators.ts";
import { codeFor, freshNumber, otherCode } from "../../world/people.ts";
import { JSON_TYPE } from "../../world/send-form.ts";
import { CONSOLE, visit } from "../../world/visitor.ts";
import { openWorld } from "../../world/world.ts";

// Money, keys, settings, confirmation, failures and the desk, seen in Hindi: none has an English sentence.

describe("money, keys and settings, in Hindi", () => {
  it("every state of an order, and its payment page", async () => {
    const { visitor } = inHindi(await visit());
    const place = async () => {
      const placed = await visitor.submit("/billing/orders", { plan: "starter" });
      return placed.headers.get("location")?.split("/").pop() ?? "";
    };
    const id = await place();
    for (const outcome of ["pending", "failure", "success", "refund"]) {
      hindi(await visitor.get(`/pay/${id}`), 200);
      hindi(await visitor.get(`/billing/orders/${id}`), 200);
      await visitor.submit(`/pay/${id}`, { outcome });
    }
    hindi(await visitor.get(`/billing/orders/${id}`), 200);
    hindi(await visitor.get("/billing"), 200);
    const paid = await place();
    await visitor.submit(`/pay/${paid}`, { outcome: "success" });
    hindi(await visitor.get(`/billing/orders/${paid}`), 200);
    hindi(await visitor.get(`/billing/orders/${paid}/invoice`), 200);
    const open = await place();
    for (const problem of ["unavailable", "closed"]) {
      hindi(await visitor.get(`/billing/orders/${open}?problem=${problem}`), 200);
    }
    hindi(await visitor.submit("/billing/orders", { plan: "gold" }), 400);
    hindi(await visitor.submit(`/pay/${open}`, { outcome: "theft" }), 400);
    hindi(await visitor.get("/billing/orders/ord_unknown"), 404);
    const statuses = [];
    for (let n = 0; n < 30; n += 1) {
      const page = await visitor.submit("/billing/orders", { plan: "starter" });
      statuses.push(page.status);
      if (page.status === 429) hindi(page, 429);
    }
    expect(statuses).toContain(429);
  });

  it("keys: made, shown, rotated, revoked, and refused", async () => {
    const { visitor } = inHindi(await visit());
    hindi(await visitor.submit("/keys", { name: "दुकान" }), 200);
    const list = await visitor.get("/keys");
    const keyId = /\/keys\/(key_\w+)\/rotate/u.exec(list.text)?.[1] ?? "";
    for (const step of ["rotate", "revoke"]) hindi(await visitor.get(`/keys/${keyId}/${step}`), 200);
    hindi(await visitor.submit(`/keys/${keyId}/show`), 200);
    for (const before of ["", "?before=2020-01-01", "?before=2100-01-01"]) {
      hindi(await visitor.get(`/keys/expire${before}`), 200);
    }
    hindi(await visitor.submit("/keys/expire", { before: "-" }), 400);
    hindi(await visitor.submit("/keys", { name: "" }), 400);
    hindi(await visitor.submit(`/keys/${keyId}/rotate`, { overlap: "7" }), 400);
    hindi(await visitor.submit(`/keys/${keyId}/rotate`, { overlap: "3600" }), 200);
    await visitor.submit(`/keys/${keyId}/revoke`);
    hindi(await visitor.get("/keys?done=revoked"), 200);
    hindi(await visitor.submit("/keys/key_00000000/show"), 404);
    hindiJson(await visitor.submit("/keys/key_00000000/show", {}, JSON_TYPE), 404);
    hindiJson(await stranger().submit("/keys/key_00000000/show", {}, JSON_TYPE), 401);
  });

  it("settings that are refused", async () => {
    const { visitor, phone } = await known();
    const other = await known();
    for (const form of [
      { buyer_name: "", buyer_state: "29" },
      { buyer_name: "आशा", buyer_state: "" },
      { buyer_name: "आशा", buyer_state: "29", buyer_gstin: "29ABCDE1234F1Z0", buyer_address: "पता" },
      { buyer_name: "आशा", buyer_state: "27", buyer_gstin: "29ABCDE1234F1ZW", buyer_address: "पता" },
      { buyer_name: "आशा", buyer_state: "29", buyer_gstin: "29ABCDE1234F1ZW", buyer_address: "" },
    ]) {
      hindi(await visitor.submit("/settings/buyer", form), 400);
    }
    await visitor.submit("/confirm/send", {});
    await visitor.submit("/confirm/code", { code: await codeFor(phone) });
    hindi(await visitor.submit("/settings/phone", { phone: "12" }), 400);
    hindi(await visitor.submit("/settings/login", { email: "x" }), 400);
    hindi(await visitor.submit("/settings/login", { email: other.email, password: "" }), 400);
    hindi(await visitor.submit("/settings/login", { email: other.email, password: "short" }), 400);
    await visitor.submit("/settings/phone", { phone: freshNumber() });
    hindi(await visitor.get("/settings/phone"), 200);
    hindi(await visitor.submit("/settings/phone/code", { code: "1" }), 400);
  });

  it("the confirmation, by code and by password", async () => {
    const { visitor, phone } = await known({ stale: true });
    hindi(await visitor.get("/confirm?next=/keys"), 200);
    hindi(await visitor.submit("/confirm/password", { password: "wrong" }), 401);
    await visitor.submit("/confirm/send", {});
    hindi(await visitor.get("/confirm/code"), 200);
    hindi(await visitor.submit("/confirm/code", { code: otherCode(await codeFor(phone)) }), 401);
    hindi(await visitor.submit("/confirm/demo"), 404);
    const pages = [];
    for (let n = 0; n < 12; n += 1) {
      pages.push(await visitor.submit("/confirm/password", { password: "wrong" }, ADDRESS));
    }
    hindi(pages.at(-1) ?? pages[0]!, 429);
    const shown = await visitor.submit("/keys/key_00000000/show", {}, JSON_TYPE);
    expect(shown.status).toBe(403);
    expect((JSON.parse(shown.text) as { error: string; hint: string }).hint).toBe("/confirm");
    expect(englishIn((JSON.parse(shown.text) as { error: string }).error)).toEqual([]);
  });

  it("what is not there, what is too large, and what fails", async () => {
    const { visitor } = inHindi(await visit());
    hindi(await visitor.get("/there-is-no-such-page"), 404);
    hindi(await visitor.get("/send/fax"), 404);
    hindi(await visitor.get("/activity/msg_unknown"), 404);
    hindi(await visitor.get("/activity.csv?q=kind:fax"), 400);
    const form = new FormData();
    form.set("file", new File([new Uint8Array(10 * 1024 * 1024)], "a.csv"));
    hindi(await visitor.submit("/send/bulk", form), 413);
    hindiJson(await visitor.submit("/send/bulk", form, JSON_TYPE), 413);
    hindi(await visitor.submit("/send/sms", {}, { origin: "https://evil.example" }), 403);
  });

  it.each([
    ["an error of ours", new Error("boom"), 500],
    ["a database that is away", new Error("D1_ERROR: Network connection lost."), 503],
  ])("%s", async (_, problem, status) => {
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    const broken = {
      prepare: () => {
        throw problem;
      },
    } as unknown as D1Database;
    const { visitor } = inHindi(await visit());
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const request = incoming(`${CONSOLE}/settings`, { headers: { accept: "text/html", cookie } });
    const reply = await worker.fetch(request, { ...env, DB: broken }, createExecutionContext());
    hindi({ status: reply.status, headers: reply.headers, text: await reply.text() }, status);
  });
});

describe("the desk, in Hindi", () => {
  it("every page", async () => {
    const visitor = await atTheDesk();
    visitor.cookies.set("lang", "hi");
    const { ref } = await openWorld({ name: "Chai" });
    for (const path of ["", "/rate-card", "/payments", "/queues", "/reconcile", `/accounts/${ref.accountId}`]) {
      hindi(await visitor.get(`/desk${path}`), 200);
    }
    hindi(await visitor.get("/desk?search=zzzz"), 200);
    hindi(await visitor.get("/desk/accounts/acc_00000000000"), 404);
    hindi(await stranger().get("/desk/sign-in"), 200);
    hindi(await stranger().submit("/desk/sign-in", { token: "wrong" }), 401);
    hindiJson(await stranger().submit("/desk/rate-card", {}, JSON_TYPE), 401);
  });

  it("every refused form", async () => {
    const visitor = await atTheDesk();
    visitor.cookies.set("lang", "hi");
    const { ref } = await openWorld({ name: "Chai" });
    const account = `/desk/accounts/${ref.accountId}`;
    for (const [path, form] of [
      ["/desk/accounts", { name: "" }],
      ["/desk/accounts", { name: "x", balance: "-1" }],
      ["/desk/accounts", { name: "x", otpRate: "x" }],
      [`${account}/credits`, { amount: "0", reference: "a" }],
      [`${account}/credits`, { amount: "-99999", reference: "a" }],
      [`${account}/credits`, { amount: "1", reference: "" }],
      [`${account}/credits`, { amount: "1", reference: "a", note: "x".repeat(501) }],
      [`${account}/standing`, { otpRate: "x" }],
      ["/desk/rate-card", { smsIndia: "x" }],
      ["/desk/rate-card", { smsIndia: "1", smsAbroad: "5", ttsCall: "2", voiceCallPer30s: "2", countries: "<i>" }],
    ] as const) {
      hindi(await visitor.submit(path, form), 400);
    }
  });
});
