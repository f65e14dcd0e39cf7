import type { Context } from "hono";
import { audit } from "../audit/audit.ts";
import { personWithNextPhone } from "../db/people.ts";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import type { Person } from "../model/person.ts";
import type { CheckAnswer } from "./bot-check.ts";
import { answer, askCode } from "./challenges.ts";
import type { Answer, Asked } from "./challenges.ts";
import { rememberDevice } from "./devices.ts";
import { hashPassword } from "./passwords.ts";
import { addLogin, openAccountOf, personWith, personWithPhone } from "./people.ts";
import { settleNextPhone } from "./phone-change.ts";
import { deviceOf, startSession } from "./sessions.ts";

// Signing up, signing in and authenticating again with a code that is sent to a phone.

type Refused = Exclude<Answer, { ok: true }>;

/** How a person authenticated: at last by a code to their phone, or without one. */
type By = "code" | "password" | "demo";

/** Starts a session for a person who has authenticated, and opens their account if needed. */
export async function enterAs(c: Context<AppEnv>, person: Person, by: By): Promise<void> {
  const isOpened = await openAccountOf(c.env, settings(c), person);
  const again = c.get("person")?.id === person.id;
  await startSession(c, person, by === "code");
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

/** A verified phone that will belong to a person who has lost their old one, and not before `at`, in ms. */
interface Waiting {
  ok: false;
  reason: "waiting";
  at: number;
}

/** The person with this phone, which was just verified; a new person when the phone is unknown. */
async function personOfPhone(c: Context<AppEnv>, phone: string, name: string): Promise<Person | Waiting> {
  const nowMs = Date.now();
  const known = await personWith(c.env, { phone });
  if (known && !(await settleNextPhone(c.env, known, nowMs))) return known;
  const next = await personWithNextPhone(c.env.DB, phone);
  if (next && !(await settleNextPhone(c.env, next, nowMs))) {
    return { ok: false, reason: "waiting", at: next.nextPhoneAt ?? nowMs };
  }
  return personWithPhone(c.env, settings(c), phone, name);
}

/** Signs in by the right code; for a new phone it creates a person and an account. */
export async function signInByCode(
  c: Context<AppEnv>,
  code: string,
): Promise<{ ok: true; next: string; emailLeftOut: boolean } | Refused | Waiting> {
  const answered = await answer(c, "sign-in", code);
  if (!answered.ok) return answered;
  const { name = "", next = "/", email, password } = answered.payload;
  const person = await personOfPhone(c, answered.phone, name);
  if ("reason" in person) return person;
  const wanted = email !== undefined && password !== undefined;
  const added = wanted && (await addLogin(c.env, person, { email, password }));
  await enterAs(c, person, "code");
  return { ok: true, next, emailLeftOut: wanted && !added };
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
