import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { codeFor, freshNumber, signInByPhone } from "./people.ts";
import { Visitor } from "./visitor.ts";

describe("signing in by phone", () => {
  it("sends a code, takes it, and opens an account for somebody new", async () => {
    const number = freshNumber();
    const visitor = new Visitor();
    const asked = await visitor.submit("/sign-in", { phone: number, next: "/keys" });
    expect(asked.status).toBe(303);
    expect(asked.headers.get("location")).toBe("/sign-in/code");
    const form = await visitor.get("/sign-in/code");
    expect(form.text).toContain(`+91 ${number.slice(0, 5)} ${number.slice(5)}`);
    const done = await visitor.submit("/sign-in/code", { code: await codeFor(`+91${number}`) });
    expect(done.headers.get("location")).toBe("/keys");
    expect((await visitor.get("/")).status).toBe(200);
    const person = await env.DB.prepare("SELECT * FROM person WHERE phone = ?").bind(`+91${number}`).first();
    const view = await env.ACCOUNT.getByName(String(person?.["account_id"])).view();
    expect(view).toMatchObject({ plan: "starter", balance: 1_000_000 });
  });
  it("same person again", async () => {
    const number = freshNumber();
    await signInByPhone(number);
    await signInByPhone(number);
    const { results } = await env.DB.prepare("SELECT * FROM person WHERE phone = ?").bind(`+91${number}`).all();
    expect(results).toHaveLength(1);
  });
});
