import { describe, expect, it } from "vitest";
import { openWorld } from "../world/world.ts";
import { atTheDesk } from "../world/operators.ts";
import { Visitor, visit } from "../world/visitor.ts";

// All pages refuse a form in the same way: a status, an error beside the field, the typed values, and JSON for scripts.

interface Case {
  who: () => Promise<{ visitor: Visitor; path: string }>;
  form: Record<string, string>;
  field: string;
  status?: number;
  /** A typed value that stays in the page; secrets do not. */
  kept?: [name: string, value: string];
}

const person = (path: string) => async () => ({ visitor: (await visit()).visitor, path });
const operator = (path: string) => async () => ({ visitor: await atTheDesk(), path });
const account = (path: string) => async () => ({
  visitor: await atTheDesk(),
  path: `/desk/accounts/${(await openWorld()).ref.accountId}${path}`,
});

const CARD = { smsIndia: "1", smsAbroad: "5", ttsCall: "2", voiceCallPer30s: "2", countries: "" };
const LONG = "x".repeat(101);

const CASES: Record<string, Case> = {
  "a new key": { who: person("/keys"), form: { name: LONG }, field: "name", kept: ["name", LONG] },
  "the login": {
    who: person("/settings/login"),
    form: { email: "nobody at all", password: "" },
    field: "email",
    kept: ["email", "nobody at all"],
  },
  "the phone": { who: person("/settings/phone"), form: { phone: "12" }, field: "phone", kept: ["phone", "12"] },
  "a send": {
    who: person("/send/sms"),
    form: { phone: "123", message: "Hi" },
    field: "phone",
    kept: ["phone", "123"],
  },
  "an account": {
    who: operator("/desk/accounts"),
    form: { name: "Shop", plan: "starter", balance: "many" },
    field: "balance",
    kept: ["balance", "many"],
  },
  "an OTP rate": { who: account("/standing"), form: { otpRate: "-1" }, field: "otpRate", kept: ["otpRate", "-1"] },
  "a credit": {
    who: account("/credits"),
    form: { amount: "1,0", reference: "keep me" },
    field: "amount",
    kept: ["reference", "keep me"],
  },
  "the rate card": {
    who: operator("/desk/rate-card"),
    form: { ...CARD, ttsCall: "-1" },
    field: "ttsCall",
    kept: ["ttsCall", "-1"],
  },
  "the desk's door": {
    who: async () => ({ visitor: new Visitor(), path: "/desk/sign-in" }),
    form: { token: "x" },
    field: "token",
    status: 401,
  },
};

describe("a refused form", () => {
  it.each(Object.entries(CASES))("for %s names its field", async (_, { who, form, field, status = 400, kept }) => {
    const { visitor, path } = await who();
    const page = await visitor.submit(path, form);
    expect(page.status).toBe(status);
    const input = (name: string) => new RegExp(`<input[^>]*\\bname="${name}"[^>]*>`, "u").exec(page.text)?.[0] ?? "";
    expect(input(field)).toContain('aria-invalid="true"');
    const [, sentence = ""] = new RegExp(`id="f-${field}-error">([^<]+)<`, "u").exec(page.text) ?? [];
    expect(sentence).not.toBe("");
    if (kept) expect(input(kept[0])).toContain(`value="${kept[1]}"`);

    const reply = await visitor.submit(path, form, { accept: "application/json" });
    expect(reply.status).toBe(status);
    const body = JSON.parse(reply.text) as Record<string, unknown>;
    expect(body).toMatchObject({ success: false, param: field });
    expect(sentence).toContain(String(body["error"]).slice(0, 20));
  });
});
