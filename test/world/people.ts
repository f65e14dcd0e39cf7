import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { configOf } from "../../src/config/config.ts";
import { codeSenderRef } from "../../src/sign-in/code-sender.ts";
import { objectName } from "../../src/crypto/ids.ts";
import { unseal } from "../../src/crypto/seal.ts";
import { sealedText } from "../../src/durable/account/retention/text-keys.ts";
import { Visitor } from "./visitor.ts";
import type { Page } from "./visitor.ts";

// Signing up and in, for tests: unused numbers, and the codes that the sign-in account sent.

let used = 0;

/** An Indian mobile that no other test in this file uses, as ten digits. */
export function freshNumber(): string {
  used += 1;
  return `98${String(Math.floor(Math.random() * 90_000) + 10_000)}${String(used).padStart(3, "0")}`;
}

/** All texts that the sign-in account sent to a phone (E.164) and has not forgotten, newest first. */
export async function textsFor(phone: string): Promise<string[]> {
  const name = objectName(await codeSenderRef(env, configOf(env)));
  const sealed = await runInDurableObject(env.ACCOUNT.getByName(name), (_, { storage: { sql } }) =>
    sql
      .exec("SELECT text, messages FROM job ORDER BY seq DESC")
      .toArray()
      .filter((row) => row["text"] !== null && JSON.stringify(row["messages"]).includes(phone))
      .flatMap((row) => sealedText(sql, new Uint8Array(row["text"] as ArrayBuffer)) ?? []),
  );
  return sealed.map((text) => unseal(env.SEAL_SECRET, name, text));
}

/** All codes sent to a phone (E.164), newest first; throws if no code was sent to any phone. */
export async function codesFor(phone: string): Promise<string[]> {
  return (await textsFor(phone)).flatMap((text) => /\d{6}/u.exec(text)?.[0] ?? []);
}

/** The notices sent to a phone (E.164), newest first: the texts without a code. */
export async function noticesFor(phone: string): Promise<string[]> {
  return (await textsFor(phone)).filter((text) => !/\d{6}/u.test(text));
}

/** The latest code sent to a phone. */
export async function codeFor(phone: string): Promise<string> {
  const [code] = await codesFor(phone);
  if (code === undefined) throw new Error(`no code went to ${phone}`);
  return code;
}

/** A code other than this one. */
export const otherCode = (code: string, by = 1) => String((Number(code) + by) % 1_000_000).padStart(6, "0");

/** Signs in by phone. */
export async function signInByPhone(
  number: string,
  visitor = new Visitor(),
): Promise<{ visitor: Visitor; page: Page }> {
  await visitor.submit("/sign-in", { phone: number });
  const page = await visitor.submit("/sign-in/code", { code: await codeFor(`+91${number}`) });
  return { visitor, page };
}

/** A password that is not easy to guess. */
export const PASSWORD = "a few words to remember";

export const freshEmail = () => `${crypto.randomUUID()}@example.com`;

/** A customer with a phone (ten digits), an e-mail and a password, whose browser is signed in. */
export async function customerWithLogin(): Promise<{ visitor: Visitor; number: string; email: string }> {
  const [number, email] = [freshNumber(), freshEmail()];
  const visitor = new Visitor();
  await visitor.submit("/sign-up", { name: "Asha", email, phone: number, password: PASSWORD });
  await visitor.submit("/sign-in/code", { code: await codeFor(`+91${number}`) });
  return { visitor, number, email };
}

/** Every row of every table of D1, as text. */
export async function allOfD1(): Promise<string> {
  const tables = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'",
  ).all<{ name: string }>();
  const rows = await Promise.all(tables.results.map(({ name }) => env.DB.prepare(`SELECT * FROM "${name}"`).all()));
  return JSON.stringify(rows.map(({ results }) => results));
}

/** The header in which Cloudflare passes the client's address on. */
export const from = (address: string) => ({ "cf-connecting-ip": address });

/** A browser with a copy of the cookies, like a second tab. */
export function twin(visitor: Visitor): Visitor {
  const other = new Visitor();
  for (const [name, value] of visitor.cookies) other.cookies.set(name, value);
  return other;
}

/** A page without what differs between requests. */
export function same(page: Page, ...typed: string[]): { status: number; location: string | null; text: string } {
  const text = typed.reduce((rest, one) => rest.replaceAll(one, "…"), page.text);
  return { status: page.status, location: page.headers.get("location"), text };
}

/** The number of sessions of the person with this phone. */
export async function sessionsWith(phone: string): Promise<number> {
  const query = "SELECT count(*) AS n FROM session JOIN person ON person.id = session.holder WHERE phone = ?";
  return Number(await env.DB.prepare(query).bind(phone).first("n"));
}
