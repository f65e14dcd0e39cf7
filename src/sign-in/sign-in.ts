import type { Context } from "hono";
import { audit } from "../audit/audit.ts";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import type { Person } from "../model/person.ts";
import { admitPassword, admitProof } from "./attempts.ts";
import type { CheckAnswer } from "./bot-check.ts";
import { answer, askCode } from "./challenges.ts";
import type { Answer, Asked } from "./challenges.ts";
import { rememberDevice } from "./devices.ts";
import { hashPassword, isPassword } from "./passwords.ts";
import { addLogin, changePhone, openAccountOf, personWithEmail, personWithPhone } from "./people.ts";
import { deviceOf, startSession } from "./sessions.ts";

// Signing up and signing in: with a code that is sent to a phone, or with e-mail and password.

type Refused = Exclude<Answer, { ok: true }>;

/** The result of a sign-in with a password. */
export type ByPassword =
  { ok: true } | { ok: false; reason: "rate_limited"; retryAfterSec: number } | { ok: false; reason: "wrong" };

/** How a person authenticated. */
type By = "code" | "password" | "demo";

/** Starts a session for a person who has authenticated, and opens their account if needed. */
export async function enterAs(c: Context<AppEnv>, person: Person, by: By): Promise<void> {
  const isOpened = await openAccountOf(c.env, settings(c), person);
  const again = c.get("person")?.id === person.id;
  await startSession(c, person.id);
  rememberDevice(c, person.id);
  if (isOpened) await audit(c, { action: "account.opened", person, once: "opened" });
  const details = { by, device: deviceOf(c.req.header("user-agent") ?? "") };
  await audit(c, { action: again ? "session.confirmed" : "session.started", person, details });
}

/** Sends a code for signing in by phone; `next` is the path that follows. */
export function askPhone(c: Context<AppEnv>, phone: string, next: string, check: CheckAnswer): Promise<Asked> {
  return askCode(c, { purpose: "sign-in", phone, payload: () => ({ next }), answer: check });
}

interface SignUp {
  name: string;
  email: string;
  password: string;
  phone: string;
  next: string;
}

/** Sends a code for a sign-up by e-mail: it verifies the phone, and the e-mail is added after that. */
export function askSignUp(
  c: Context<AppEnv>,
  { password, phone, ...rest }: SignUp,
  check: CheckAnswer,
): Promise<Asked> {
  return askCode(c, {
    purpose: "sign-in",
    phone,
    answer: check,
    payload: async () => ({ ...rest, password: await hashPassword(password) }),
  });
}

/** Signs in by the right code; for a new phone it creates a person and an account. */
export async function signInByCode(
  c: Context<AppEnv>,
  code: string,
): Promise<{ ok: true; next: string; emailLeftOut: boolean } | Refused> {
  const answered = await answer(c, "sign-in", code);
  if (!answered.ok) return answered;
  const { name = "", next = "/", email, password } = answered.payload;
  const person = await personWithPhone(c.env, settings(c), answered.phone, name);
  const wanted = email !== undefined && password !== undefined;
  const added = wanted && (await addLogin(c.env, person, { email, password }));
  await enterAs(c, person, "code");
  return { ok: true, next, emailLeftOut: wanted && !added };
}

/** Signs in by e-mail and password. Neither the answer nor its time reveals whether the e-mail is known. */
export async function signInByPassword(c: Context<AppEnv>, email: string, password: string): Promise<ByPassword> {
  const verdict = await admitPassword(c, email);
  if (!verdict.ok) return verdict;
  const person = await personWithEmail(c.env, settings(c), email);
  const right = await isPassword(password, person?.password ?? null);
  if (!person || !right) return { ok: false, reason: "wrong" };
  await enterAs(c, person, "password");
  return { ok: true };
}

/** Sends a code to the person's phone, for authenticating again. */
export function askConfirmation(c: Context<AppEnv>, person: Person, phone: string, next: string): Promise<Asked> {
  return askCode(c, { purpose: "confirm", phone, payload: () => ({ personId: person.id, next }) });
}

/** Authenticates again by the code that was sent to the person's phone; the session gets a new token. */
export async function confirmByCode(
  c: Context<AppEnv>,
  person: Person,
  code: string,
): Promise<{ ok: true; next: string } | Refused> {
  const answered = await answer(c, "confirm", code);
  if (!answered.ok) return answered;
  // When the code was sent, the phone was this person's; another person may have signed in since.
  const own = answered.payload["personId"] === person.id && answered.phone === person.phone;
  if (!own) return { ok: false, reason: "over" };
  await enterAs(c, person, "code");
  return { ok: true, next: answered.payload["next"] ?? "/" };
}

/** Authenticates again by the person's password; the session gets a new token. */
export async function confirmByPassword(c: Context<AppEnv>, person: Person, password: string): Promise<ByPassword> {
  const verdict = await admitProof(c, person.id);
  if (!verdict.ok) return verdict;
  if (!(await isPassword(password, person.password))) return { ok: false, reason: "wrong" };
  await enterAs(c, person, "password");
  return { ok: true };
}

/** Sends a code to the phone with which a person wants to sign in from now on. */
export function askNewPhone(c: Context<AppEnv>, person: Person, phone: string): Promise<Asked> {
  return askCode(c, { purpose: "phone", phone, payload: () => ({ personId: person.id }) });
}

/** Changes a person's phone by the code that was sent to the new one. */
export async function changePhoneByCode(
  c: Context<AppEnv>,
  person: Person,
  code: string,
): Promise<{ ok: true } | Refused | { ok: false; reason: "taken" }> {
  const answered = await answer(c, "phone", code);
  if (!answered.ok) return answered;
  if (answered.payload["personId"] !== person.id) return { ok: false, reason: "over" };
  return (await changePhone(c.env, person.id, answered.phone)) ? { ok: true } : { ok: false, reason: "taken" };
}
