import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { objectName } from "../../src/crypto/ids.ts";
import { hashPassword } from "../../src/sign-in/passwords.ts";
import { englishIn } from "./english.ts";
import { freshNumber, from } from "./people.ts";
import { Visitor, visit } from "./visitor.ts";
import type { Page, Visit } from "./visitor.ts";
import type { World } from "./world.ts";

// Visitors who read Hindi, and what their pages must be: without an English sentence.

/** The English on a page, which must be in Hindi and have this status. */
export function hindi(page: Page, status: number): void {
  expect(page.status, page.text.slice(0, 200)).toBe(status);
  expect(page.text).toContain('<html lang="hi"');
  expect(englishIn(page.text).join(" | ")).toBe("");
}

/** The same for the reply that the browser's script gets. */
export function hindiJson(page: Page, status: number): void {
  expect(page.status).toBe(status);
  const { error = "", hint = "" } = JSON.parse(page.text) as { error?: string; hint?: string };
  expect(error).toMatch(/[\u0900-\u097f]/u);
  expect(englishIn(`${error} ${hint}`)).toEqual([]);
}

export function inHindi<T extends { visitor: Visitor }>(visited: T): T {
  visited.visitor.cookies.set("lang", "hi");
  return visited;
}

/** Opens the live account of a visitor who began in test mode. */
export async function openLive({ ref }: World): Promise<void> {
  const live = env.ACCOUNT.getByName(objectName({ ...ref, mode: "live" }));
  await live.open({ name: "Live", plan: "premium", otpRate: null, balance: 70_000, keyId: 2, keyName: "first key" });
}

export function stranger(): Visitor {
  return inHindi({ visitor: new Visitor() }).visitor;
}

/** Limits count by address. */
export const ADDRESS = from("203.0.113.77");

export const PASSWORD = "a few words to remember";

/** A visitor with phone, email and password; a sign-in that is not fresh with `stale`. */
export async function known({ stale = false } = {}): Promise<Visit & { phone: string; email: string }> {
  const visited = inHindi(await visit(stale ? { authenticatedAgoMs: 11 * 60_000 } : {}));
  const phone = `+91${freshNumber()}`;
  const email = `${visited.person.id.toLowerCase()}@example.com`;
  await env.DB.prepare("UPDATE person SET phone = ?, email = ?, password = ? WHERE id = ?")
    .bind(phone, email, await hashPassword(PASSWORD), visited.person.id)
    .run();
  return { ...visited, phone, email };
}
