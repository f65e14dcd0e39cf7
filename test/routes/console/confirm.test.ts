import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { hashPassword } from "../../../src/sign-in/passwords.ts";
import { hashOf } from "../../../src/sign-in/sessions.ts";
import { codeFor, codesFor, freshNumber, from, otherCode, twin } from "../../world/people.ts";
import { Visitor, visit } from "../../world/visitor.ts";
import type { Visit } from "../../world/visitor.ts";

const STALE = { authenticatedAgoMs: 11 * 60_000 };
const PASSWORD = "a few words to remember";

/** A visitor with a phone and a password, whose sign-in is no longer fresh. */
async function staleVisit(): Promise<Visit & { phone: string }> {
  const visited = await visit(STALE);
  const phone = `+91${freshNumber()}`;
  await env.DB.prepare("UPDATE person SET phone = ?, email = ?, password = ? WHERE id = ?")
    .bind(phone, `${visited.person.id.toLowerCase()}@example.com`, await hashPassword(PASSWORD), visited.person.id)
    .run();
  return { ...visited, phone };
}

/** Whether an action that needs a fresh sign-in is allowed. */
async function isFresh({ visitor, person }: Visit): Promise<boolean> {
  const page = await visitor.submit("/settings/login", { email: `${person.id.toLowerCase()}@example.com` });
  if (page.headers.get("location")?.startsWith("/confirm")) return false;
  expect(page.headers.get("location")).toBe("/settings?saved=login");
  return true;
}

describe("confirming", () => {
  it("with a code to the person's phone makes the sign-in fresh, under a new token", async () => {
    const stale = await staleVisit();
    const { visitor, phone } = stale;
    expect(await isFresh(stale)).toBe(false);
    const before = twin(visitor);
    expect((await visitor.get("/confirm?next=/keys")).text).toContain(phone.slice(3, 8));
    const asked = await visitor.submit("/confirm/send", { next: "/keys" });
    expect(asked.headers.get("location")).toBe("/confirm/code?next=%2Fkeys");
    const code = await codeFor(phone);
    const wrong = await visitor.submit("/confirm/code", { code: otherCode(code), next: "/keys" });
    expect(wrong.status).toBe(401);
    expect(await isFresh(stale)).toBe(false);
    expect((await visitor.submit("/confirm/code", { code, next: "/keys" })).headers.get("location")).toBe("/keys");
    expect(await isFresh(stale)).toBe(true);
    expect(visitor.cookies.get("session")).not.toBe(before.cookies.get("session"));
    expect((await before.get("/settings")).headers.get("location")).toContain("/sign-in");
  });

  it("with the password does the same, and a wrong password does not", async () => {
    const stale = await staleVisit();
    const before = twin(stale.visitor);
    const wrong = await stale.visitor.submit("/confirm/password", { password: `${PASSWORD}!`, next: "/keys" });
    expect(wrong.status).toBe(401);
    expect(await isFresh(stale)).toBe(false);
    const page = await stale.visitor.submit("/confirm/password", { password: PASSWORD, next: "//evil.example" });
    expect(page.headers.get("location")).toBe("/");
    expect(await isFresh(stale)).toBe(true);
    expect((await before.get("/settings")).status).toBe(303);
  });

  it("is limited per person, for a thief of the session as well, and leaves the sign-in elsewhere alone", async () => {
    const stale = await staleVisit();
    const address = from("203.0.113.50");
    const thief = twin(stale.visitor);
    const statuses = [];
    for (let n = 0; n < 11; n++) {
      statuses.push((await thief.submit("/confirm/password", { password: "not the password" }, address)).status);
    }
    expect(statuses.indexOf(429)).toBe(10);
    for (let n = 0; n < 11; n++) statuses.push((await thief.submit("/confirm/send", {}, address)).status);
    expect(statuses.filter((status) => status === 303)).toHaveLength(10);
    expect(await codesFor(stale.phone)).toHaveLength(10);
    const email = `${stale.person.id.toLowerCase()}@example.com`;
    const elsewhere = new Visitor();
    expect((await elsewhere.submit("/sign-in/password", { email, password: PASSWORD }, address)).status).toBe(303);
  });

  it("refuses a code that another person asked for in the same browser", async () => {
    const [one, other] = [await staleVisit(), await staleVisit()];
    await one.visitor.submit("/confirm/send", { next: "/keys" });
    const code = await codeFor(one.phone);
    const mixed = twin(one.visitor);
    mixed.cookies.set("session", other.visitor.cookies.get("session") ?? "");
    expect((await mixed.get("/confirm/code")).text).not.toContain(one.phone.slice(3, 8));
    expect((await mixed.submit("/confirm/code", { code })).status).toBe(401);
    expect(await isFresh(other)).toBe(false);
  });

  it("requires a session, and leads back to the page after the sign-in", async () => {
    const { visitor } = await visit();
    await env.DB.prepare("DELETE FROM session WHERE hash = ?")
      .bind(hashOf(visitor.cookies.get("session") ?? ""))
      .run();
    const page = await visitor.get("/confirm?next=/keys");
    expect(page.headers.get("location")).toBe(`/sign-in?next=${encodeURIComponent("/confirm?next=/keys")}`);
    expect((await visitor.submit("/confirm/password", { password: PASSWORD })).headers.get("location")).toContain(
      "/sign-in",
    );
  });
});
