import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { configOf } from "../../src/config.ts";
import { houseRef } from "../../src/sign-in/code-sender.ts";
import { objectName } from "../../src/crypto/ids.ts";
import { unseal } from "../../src/crypto/seal.ts";
import { Visitor } from "./visitor.ts";
import type { Page } from "./visitor.ts";

// Signing up and in, for tests: numbers that nobody else has, and the codes as the house account sent them.

let used = 0;

/** An Indian mobile that no other test of this file has, as ten digits. */
export function freshNumber(): string {
  used += 1;
  return `98${String(Math.floor(Math.random() * 90_000) + 10_000)}${String(used).padStart(3, "0")}`;
}

/** Every code that went to a phone in E.164, newest first; throws where no code has gone to anybody. */
export async function codesFor(phone: string): Promise<string[]> {
  const name = objectName(houseRef(configOf(env)));
  const rows = await runInDurableObject(env.ACCOUNT.getByName(name), (_, state) =>
    state.storage.sql.exec("SELECT text, messages FROM job ORDER BY seq DESC").toArray(),
  );
  return rows
    .filter((row) => JSON.stringify(row["messages"]).includes(phone))
    .map((row) => /\d{6}/u.exec(unseal(env.SEAL_SECRET, name, new Uint8Array(row["text"] as ArrayBuffer)))?.[0] ?? "");
}

/** The newest code that went to a phone. */
export async function codeFor(phone: string): Promise<string> {
  const [code] = await codesFor(phone);
  if (code === undefined) throw new Error(`no code went to ${phone}`);
  return code;
}

/** A code that is not this one. */
export const otherCode = (code: string, by = 1) => String((Number(code) + by) % 1_000_000).padStart(6, "0");

/** Signs in by phone, as whoever holds it. */
export async function signInByPhone(
  number: string,
  visitor = new Visitor(),
): Promise<{ visitor: Visitor; page: Page }> {
  await visitor.submit("/sign-in", { phone: number });
  const page = await visitor.submit("/sign-in/code", { code: await codeFor(`+91${number}`) });
  return { visitor, page };
}

/** Every row of every table of D1, as text. */
export async function allOfD1(): Promise<string> {
  const tables = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'",
  ).all<{ name: string }>();
  const rows = await Promise.all(tables.results.map(({ name }) => env.DB.prepare(`SELECT * FROM "${name}"`).all()));
  return JSON.stringify(rows.map(({ results }) => results));
}

/** Where a request comes from, as Cloudflare says it. */
export const from = (address: string) => ({ "cf-connecting-ip": address });

/** A browser with the same cookies: what it does at the same time, as a second tab. */
export function twin(visitor: Visitor): Visitor {
  const other = new Visitor();
  for (const [name, value] of visitor.cookies) other.cookies.set(name, value);
  return other;
}

/** A page without what differs from request to request. */
export function same(page: Page, ...typed: string[]): { status: number; location: string | null; text: string } {
  const text = typed.reduce((rest, one) => rest.replaceAll(one, "…"), page.text);
  return { status: page.status, location: page.headers.get("location"), text };
}

/** How many sessions the person with this phone has. */
export async function sessionsWith(phone: string): Promise<number> {
  const query = "SELECT count(*) AS n FROM session JOIN person ON person.id = session.holder WHERE phone = ?";
  return Number(await env.DB.prepare(query).bind(phone).first("n"));
}
