import type { Context } from "hono";
import { renewPerson } from "../db/people.ts";
import type { Renewal } from "../db/people.ts";
import type { AppEnv } from "../http/app.ts";
import type { Person } from "../model/person.ts";
import { rememberDevice } from "./devices.ts";
import { hangUp } from "./hang-up.ts";
import { NOTICES, notify } from "./notices.ts";
import { hashPassword } from "./passwords.ts";

// Changes of how a person signs in. With each of them, every other session ends and every other browser is forgotten
// (ASVS 5, 7.4.3), and the phone is told by SMS.

/**
 * Changes phone, e-mail or password, and leaves only this browser signed in and known; an empty change does only the
 * latter. False, and nothing is done, when the phone or e-mail belongs to another person.
 */
export async function renew(c: Context<AppEnv>, person: Person, change: Renewal): Promise<boolean> {
  const exceptHash = c.get("session")?.hash;
  if (!(await renewPerson(c.env.DB, person.id, change, { nowMs: Date.now(), exceptHash }))) return false;
  rememberDevice(c, person.id);
  await hangUp(c.env, person.accountId);
  return true;
}

/** Changes a person's e-mail and, if given, the password; false when the e-mail belongs to another person. */
export async function changeLogin(
  c: Context<AppEnv>,
  person: Person,
  { email, password }: { email: string; password: string | null },
): Promise<boolean> {
  if (password === null && person.password === null) throw new Error("an e-mail without a password signs nobody in");
  const change = { email, ...(password !== null && { password: await hashPassword(password) }) };
  if (!(await renew(c, person, change))) return false;
  const notice = password === null ? "email" : email === person.email ? "password" : "emailAndPassword";
  if (person.phone !== null) await notify(c, person.phone, NOTICES[notice]());
  return true;
}
