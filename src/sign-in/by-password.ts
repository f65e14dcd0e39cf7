import type { Context } from "hono";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import type { Person } from "../model/person.ts";
import { admitPassword, admitProof } from "./attempts.ts";
import { answer, askCode, currentChallenge } from "./challenges.ts";
import type { Answer, Asked } from "./challenges.ts";
import { isKnownTo, knownDevice } from "./devices.ts";
import { isPassword, passwordPrint } from "./passwords.ts";
import { personWith, personWithEmail } from "./people.ts";
import { settleNextPhone } from "./phone-change.ts";
import { enterAs } from "./sign-in.ts";

// Signing in by e-mail and password. From a browser that the person does not know, a code to their phone follows
// (ASVS 5, 6.3.3): a stolen or guessed password alone opens nothing.

type Unsent = Exclude<Asked, { ok: true }>;

/** The result of a password that authenticates again. */
export type Proved =
  { ok: true } | { ok: false; reason: "rate_limited"; retryAfterSec: number } | { ok: false; reason: "wrong" };

/** The result of a sign-in with a password: `coded` when a code was sent, which completes it. */
export type ByPassword =
  { ok: true; coded: boolean } | Exclude<Proved, { ok: true }> | { ok: false; reason: "unsent"; sent: Unsent };

async function askSecond(c: Context<AppEnv>, person: Person, phone: string, next: string): Promise<ByPassword> {
  const payload = () => ({ personId: person.id, password: passwordPrint(person.password), next });
  const sent = await askCode(c, { purpose: "password", phone, payload });
  return sent.ok ? { ok: true, coded: true } : { ok: false, reason: "unsent", sent };
}

/**
 * Signs in by e-mail and password, or sends the code that completes it; `next` is the path that follows. Neither the
 * answer to a wrong password nor its time reveals whether the e-mail is known.
 */
export async function signInByPassword(
  c: Context<AppEnv>,
  { email, password, next }: { email: string; password: string; next: string },
): Promise<ByPassword> {
  const verdict = await admitPassword(c, email);
  if (!verdict.ok) return { ...verdict, reason: "rate_limited" };
  let person = await personWithEmail(c.env, settings(c), email);
  const right = await isPassword(password, person?.password ?? null);
  if (!person || !right) return { ok: false, reason: "wrong" };
  // After a wait for a new phone, the code goes there.
  if (await settleNextPhone(c.env, person, Date.now())) person = (await personWith(c.env, { id: person.id })) ?? person;
  const device = knownDevice(c);
  const known = device !== null && isKnownTo(person, device);
  if (!known && person.phone !== null) return askSecond(c, person, person.phone, next);
  await enterAs(c, person, "password");
  return { ok: true, coded: false };
}

/** The person of a challenge that a right password started; null if phone or password have changed since. */
async function personOf(
  c: Context<AppEnv>,
  { phone, payload }: { phone: string; payload: Record<string, string> },
): Promise<Person | null> {
  const person = await personWith(c.env, { id: payload["personId"] ?? "" });
  return person?.phone === phone && passwordPrint(person.password) === payload["password"] ? person : null;
}

/** The person whose password was typed in this browser within the last half hour, and whose code is still missing. */
export async function personAtSecondStep(c: Context<AppEnv>): Promise<Person | null> {
  const challenge = await currentChallenge(c, "password");
  return challenge ? personOf(c, challenge) : null;
}

/** Completes a sign-in by password with the right code. */
export async function signInBySecondCode(
  c: Context<AppEnv>,
  code: string,
): Promise<{ ok: true; next: string } | Exclude<Answer, { ok: true }>> {
  const answered = await answer(c, "password", code);
  if (!answered.ok) return answered;
  const person = await personOf(c, answered);
  if (!person) return { ok: false, reason: "over" };
  await enterAs(c, person, "code");
  return { ok: true, next: answered.payload["next"] ?? "/" };
}

/** Authenticates again by the person's password; the session gets a new token. */
export async function confirmByPassword(c: Context<AppEnv>, person: Person, password: string): Promise<Proved> {
  const verdict = await admitProof(c, person.id);
  if (!verdict.ok) return { ...verdict, reason: "rate_limited" };
  if (!(await isPassword(password, person.password))) return { ok: false, reason: "wrong" };
  await enterAs(c, person, "password");
  return { ok: true };
}
