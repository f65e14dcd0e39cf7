import * as z from "zod";
import { DEMO_LOGIN, demoAccountId, openCustomer } from "../accounts/open.ts";
import type { Config } from "../config/settings.ts";
import { newAccountId, randomId } from "../crypto/ids.ts";
import { addEmail, insertPerson, personBy, updatePerson } from "../db/people.ts";
import type { PersonRow } from "../db/people.ts";
import type { Buyer } from "../model/person.ts";
import { objectOf } from "../objects.ts";
import { LENGTH_MAX } from "../text/lengths.ts";
import { oneLine } from "../text/one-line.ts";
import { hashPassword } from "./passwords.ts";

// People who sign in, and the account that each of them has.

/** A long text is cut before it is read: characters that are dropped below may be among its first ones. */
const NAME_READ_MAX = 10 * LENGTH_MAX.personName;

/** The credentials of a sign-up by e-mail; `password` is its hash, never the plain text. */
interface Login {
  email: string;
  password: string;
}

/** An e-mail as it is stored, in lower case; null when it is not valid. */
export function emailOf(typed: string): string | null {
  const text = typed.trim();
  // Before the pattern, which descends once for each character.
  if (text.length > LENGTH_MAX.email) return null;
  const parsed = z.email().safeParse(text.toLowerCase());
  return parsed.success ? parsed.data : null;
}

/** A name as it is stored: one line, of limited length, without characters that change the text direction. */
export function nameOf(typed: string): string {
  return [...oneLine(typed.slice(0, NAME_READ_MAX))].slice(0, LENGTH_MAX.personName).join("");
}

/** A person by one of their unique fields, or null. */
export function personWith(env: Env, by: Parameters<typeof personBy>[1]): Promise<PersonRow | null> {
  return personBy(env.DB, by);
}

/** The person with this phone, which was just verified; a new person when the phone is unknown. */
export async function personWithPhone(env: Env, config: Config, phone: string, name: string): Promise<PersonRow> {
  const known = await personBy(env.DB, { phone });
  if (known) return known;
  const accountId = newAccountId(config.KEY_SECRET, null);
  const nobody = { email: null, password: null, buyer: null };
  await insertPerson(env.DB, { id: randomId("psn"), accountId, name, phone, ...nobody, createdAt: Date.now() });
  // Of two concurrent sign-ups, the second finds the row of the first.
  const person = await personBy(env.DB, { phone });
  if (!person) throw new Error("a person who was just added is not there");
  return person;
}

/**
 * Opens a person's account, unless it is open; whether this call opened it. The next sign-in completes a sign-up that was interrupted after the
 * person's row was added. The name is still the same then, because only a session can change it.
 */
export async function openAccountOf(env: Env, config: Config, person: PersonRow): Promise<boolean> {
  if ((await objectOf(env, { accountId: person.accountId, mode: "live" }).view()) !== null) return false;
  const name = person.name === "" ? `Customer ${(person.phone ?? "").slice(-4)}`.trim() : person.name;
  const opened = await openCustomer(env, config, person.accountId, { name });
  if (opened === "other") throw new Error("a person's account was opened under another name");
  // Erased since the person was read: the session that begins has no person, and shows nothing.
  return opened !== "erased";
}

/** Adds the e-mail of a sign-up; false when the person has one, or when it belongs to another person. */
export function addLogin(env: Env, person: PersonRow, login: Login): Promise<boolean> {
  return addEmail(env.DB, person.id, login.email, login.password);
}

export async function changeName(env: Env, personId: string, name: string): Promise<void> {
  await updatePerson(env.DB, personId, { name });
}

/** Sets the buyer on the person's invoices; null removes it. */
export async function changeBuyer(env: Env, personId: string, buyer: Buyer | null): Promise<void> {
  await updatePerson(env.DB, personId, { buyer });
}

/** Whether this is the local demo customer, who can authenticate again without a code or password. */
export function isDemo(config: Config, person: PersonRow): boolean {
  return config.ENVIRONMENT === "local" && person.accountId === demoAccountId(config);
}

/** The demo customer of a local service; null when deployed, and before the demo account is open. */
export async function demoPerson(env: Env, config: Config): Promise<PersonRow | null> {
  if (config.ENVIRONMENT !== "local") return null;
  const accountId = demoAccountId(config);
  const known = await personBy(env.DB, { accountId });
  if (known?.password) return known;
  if ((await objectOf(env, { accountId, mode: "live" }).view()) === null) return null;
  const demo = { name: "Demo", phone: null, email: null, password: null, buyer: null };
  await insertPerson(env.DB, { id: randomId("psn"), accountId, ...demo, createdAt: Date.now() });
  const person = await personBy(env.DB, { accountId });
  if (person) await addEmail(env.DB, person.id, DEMO_LOGIN.email, await hashPassword(DEMO_LOGIN.password));
  return personBy(env.DB, { accountId });
}

/** The person with this e-mail, or null. */
export async function personWithEmail(env: Env, config: Config, email: string): Promise<PersonRow | null> {
  if (email === DEMO_LOGIN.email) await demoPerson(env, config);
  return personBy(env.DB, { email });
}
