import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { consoleKeyId, newKeyId, showKey, showKeyId } from "../../../src/crypto/api-key.ts";
import { samplesOf } from "../../../src/ui/overview.tsx";
import {
  bearer,
  call,
  dispatch,
  follow,
  messagesOf,
  operator,
  post,
  recordHistory,
  sendSms,
} from "../../world/world.ts";
import { Visitor, visit } from "../../world/visitor.ts";

/** The visible text of a page, without tags. */
const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]+>/gu, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll(/\s+/gu, " ");

describe("the overview", () => {
  it("shows balance, plan and status, in both languages", async () => {
    const { visitor, world } = await visit({ plan: "business", balance: 1_234.5 });
    const page = textOf((await visitor.get("/")).text);
    expect(page).toContain("Balance ₹1,234.50");
    expect(page).toContain("OTPs left 6,172");
    expect(page).toContain("OTP rate ₹0.20");
    expect(page).toContain("Business 60 requests per minute");
    expect(page).toContain("Account Active");
    await operator("PATCH", `/operator/accounts/${world.ref.accountId}`, { status: "suspended", otpRate: 0 });
    visitor.cookies.set("lang", "hi");
    const after = textOf((await visitor.get("/")).text);
    expect(after).toContain("खाता निलंबित");
    expect(after).toContain("बचे हुए OTP ∞");
  });

  it("shows in test mode a test balance, which is no money and cannot be bought", async () => {
    expect(textOf((await (await visit()).visitor.get("/")).text)).toContain("Add money");
    const { visitor } = await visit({ plan: "business", balance: 100_000, mode: "test" });
    const { text } = await visitor.get("/");
    const main = textOf(/<main.*<\/main>/su.exec(text)?.[0] ?? "");
    expect(main).toContain("Test balance 1,00,000.00");
    expect(main).toContain("OTP rate 0.20");
    expect(main).not.toContain("₹");
    expect(main).not.toContain("Add money");
    expect(main).not.toMatch(/spends? your balance/u);
    expect((await visitor.get("/send/otp")).text).not.toContain("₹");
  });

  it("shows a refunded request as refunded, with what it had cost", async () => {
    const { visitor, world } = await visit({ plan: "business", balance: 12 });
    await sendSms(world);
    const seqs = (await messagesOf(world)).map(({ seq }) => seq);
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
      await new Response(init?.body ?? null).text();
      return new Response(null, { status: 400 });
    });
    await dispatch(world, seqs, { CARRIER: "http" });
    vi.restoreAllMocks();
    const row = textOf(/<tbody id="live".*?<\/tbody>/su.exec((await visitor.get("/")).text)?.[0] ?? "");
    expect(row).toContain("₹1.00 refunded");
    expect(row).not.toContain("₹0.00");
  });

  it("offers its chart alone, to be loaded again after something was sent", async () => {
    const { visitor, world } = await visit({ plan: "business", balance: 12 });
    const part = () => visitor.get("/usage", { "x-part": "1" });
    expect((await part()).text).toContain("Nothing sent in the last 14 days");
    await sendSms(world);
    const seqs = (await messagesOf(world)).map(({ seq }) => seq);
    await dispatch(world, seqs);
    await follow(world, seqs);
    await recordHistory(world, seqs);
    const { text } = await part();
    expect(text).toContain('<rect class="sms"');
    expect(text).not.toContain("<html");
    expect((await new Visitor().get("/usage")).status).toBe(303);
  });

  it("never contains a whole key, and offers the newest key that is not the console's", async () => {
    const { visitor, world } = await visit();
    const { text } = await visitor.get("/");
    expect(text).not.toContain(world.apiKey);
    expect(text).toContain(`/keys/${showKeyId(world.keyId)}/show`);
    expect(text).toContain(`${world.apiKey.slice(0, 9)}••••••••${world.apiKey.slice(-4)}`);

    await world.stub.makeKey(consoleKeyId("live"), "Dashboard");
    const newId = newKeyId(env.KEY_SECRET, "live", null);
    await world.stub.rotateKey(world.keyId, newId, 60_000);
    expect((await visitor.get("/")).text).toContain(`/keys/${showKeyId(newId)}/show`);
    await world.stub.revokeKey(newId);
    expect((await visitor.get("/")).text).toContain(`/keys/${showKeyId(world.keyId)}/show`);
    await world.stub.revokeKey(world.keyId);
    const bare = (await visitor.get("/")).text;
    expect(bare).not.toContain("/show");
    expect(textOf(bare)).toContain("No active API key");
  });

  it("has samples that work when they are pasted", async () => {
    const { visitor, world } = await visit();
    const { text } = await visitor.get("/");
    const pre = /<div role="tabpanel" id="sample-curl".*?<pre[^>]*>(.*?)<\/pre>/su.exec(text)?.[1] ?? "";
    const shown = pre
      .replaceAll(/<span data-key-text[^>]*>[^<]*<\/span>/gu, world.apiKey)
      .replaceAll("&quot;", '"')
      .replaceAll("&#39;", "'");
    const [, url = ""] = /^curl (\S+) /u.exec(shown) ?? [];
    const headers = Object.fromEntries(
      [...shown.matchAll(/-H '([^:]+): ([^']+)'/gu)].map(([, name = "", value = ""]) => [name, value]),
    );
    const [, body = ""] = /-d '([^']+)'/u.exec(shown) ?? [];
    const reply = await call(url, { method: "POST", headers, body });
    expect(reply.status).toBe(200);
    // All three samples make the same request.
    for (const { pieces } of samplesOf(url, "9876543210")) {
      expect(pieces).toHaveLength(2);
      expect(pieces.join("")).toContain(url);
      expect(pieces.join("")).toContain(body);
    }
  });

  it("has a form that sends an OTP once, with its price", async () => {
    const { visitor } = await visit({ plan: "premium" });
    const { text } = await visitor.get("/");
    const form = /<form[^>]*action="\/send\/otp"[^>]*>.*?<\/form>/su.exec(text)?.[0] ?? "";
    expect(form).toContain("data-send");
    expect(form).toMatch(/name="once" value="once_\w+"/u);
    expect(form).toMatch(/value="\d{6}" id="f-otp" name="otp"/u);
    expect(textOf(form)).toContain("₹0.15");
  });

  it("lists the latest sends without the script: one row per request, without the code of a live OTP", async () => {
    const { visitor, world } = await visit({ plan: "premium" });
    await sendSms(world, { body: { message: "<img src=x onerror=alert(1)>" } });
    await post("http://otp.localhost/send-otp", { phone: "9876543210", otp: "482913" }, bearer(world.apiKey));
    const recipients = Array.from({ length: 150 }, (_, at) => `98765${String(at).padStart(5, "0")}`);
    await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
    await dispatch(world, [2, 4]);
    await follow(world, [2, 4]);
    const { text } = await visitor.get("/");
    const body = /<tbody id="live".*?<\/tbody>/su.exec(text)?.[0] ?? "";
    const rows = body.split("<tr").slice(1);
    expect(rows).toHaveLength(3);
    expect(textOf(rows[0] ?? "")).toMatch(/\+149 more Hi Sent 100 of 150 delivered ₹150\.00/u);
    expect(rows[0]).toMatch(/href="\/activity\?q=request%3Areq_\w+"/u);
    expect(textOf(rows[1] ?? "")).toContain("•••••• is your");
    expect(body).not.toContain("482913");
    expect(rows[2]).toContain("&lt;img src=x onerror=alert(1)&gt;");
    expect(textOf(rows[2] ?? "")).toContain("Delivered ₹1.00");
    expect(rows[2]).toMatch(/<a href="\/activity\/msg_\w+" data-f="to" data-drawer/u);
  });

  it("draws two weeks, with the same numbers in a table, and shows a notice when there are none", async () => {
    const { visitor, world } = await visit();
    expect(textOf((await visitor.get("/")).text)).toContain("Nothing sent in the last 14 days");
    await sendSms(world);
    await recordHistory(world, [2]);
    const { text } = await visitor.get("/");
    expect(text.match(/<title>[^<]*: OTP 0, SMS [01], Calls 0<\/title>/gu)).toHaveLength(14);
    expect(text.match(/<th scope="row">/gu)).toHaveLength(14);
    expect(text).toContain("SMS 1, Calls 0</title>");
  });

  it("shows the signed-in account only, in the chosen mode", async () => {
    const mine = await visit();
    const other = await visit();
    await sendSms(other.world, { body: { message: "not for you" } });
    expect((await mine.visitor.get("/")).text).not.toContain("not for you");
    expect((await new Visitor().get("/")).status).toBe(303);
    // If the test twin does not exist yet, the page reports that instead of showing the live account.
    mine.visitor.cookies.set("mode", "test");
    const page = await mine.visitor.get("/");
    expect(page.status).toBe(503);
    expect(page.text).not.toContain(showKey(env.KEY_SECRET, { ...mine.world.ref, keyId: mine.world.keyId }).slice(-4));
  });
});
