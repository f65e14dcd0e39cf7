import type { Context } from "hono";
import { audit, auditService } from "../audit/audit.ts";
import { dropNextPhone, peopleWithDuePhone, renewPerson, setNextPhone } from "../db/people.ts";
import type { AppEnv } from "../http/app.ts";
import { logProblem } from "../log.ts";
import type { Person } from "../model/person.ts";
import { admitChange } from "./attempts.ts";
import { answer, askCode, currentChallenge } from "./challenges.ts";
import type { Answer } from "./challenges.ts";
import type { Asked } from "./challenges.ts";
import { renew } from "./credentials.ts";
import { hangUp } from "./hang-up.ts";
import { NOTICES, dayOf, notify } from "./notices.ts";
import { passwordPrint } from "./passwords.ts";
import { personWith } from "./people.ts";

// A new phone to sign in with. It is always verified by a code. The old phone is asked first, by a code to it; a person
// who has lost it waits instead, and the old phone is told, so that its owner can stop the change. Either way it ends
// every other session and is told to the old phone.

/**
 * How long a change waits that the old phone did not approve: its owner can read the notice after some days without
 * reception, and until then signs in as before.
 */
export const PHONE_WAIT_MS = 7 * 86_400_000;

/** Due changes that one run of the scheduled handler makes. */
const DUE_MAX = 100;

/** Which change a code to the new phone completes: one that the old phone approved, or one that waits. */
export type PhoneChange = "phone" | "next-phone";

type Refused = Exclude<Answer, { ok: true }> | { ok: false; reason: "taken" };

/** Sends a code to the phone with which a person wants to sign in from now on. */
export async function askNewPhone(
  c: Context<AppEnv>,
  change: PhoneChange,
  person: Person,
  phone: string,
): Promise<Asked> {
  const verdict = await admitChange(c, person.id);
  if (!verdict.ok) return { ...verdict, reason: "rate_limited" };
  const payload = () => ({ personId: person.id, from: person.phone ?? "", password: passwordPrint(person.password) });
  return askCode(c, { purpose: change, phone, payload });
}

/** Whether phone and password are still those with which the change was asked for. */
function asked(person: Person, { personId, from, password }: Record<string, string>): boolean {
  return personId === person.id && from === (person.phone ?? "") && password === passwordPrint(person.password);
}

/** The change that this browser asked a code for: its person and the new phone; null if there is none. */
export async function askedChange(
  c: Context<AppEnv>,
  change: PhoneChange,
): Promise<{ person: Person; phone: string } | null> {
  const challenge = await currentChallenge(c, change);
  const person = challenge && (await personWith(c.env, { id: challenge.payload["personId"] ?? "" }));
  return person && asked(person, challenge.payload) ? { person, phone: challenge.phone } : null;
}

/** The verified new phone, or why the code was refused. */
async function verified(c: Context<AppEnv>, change: PhoneChange, person: Person, code: string): Promise<Answer> {
  const answered = await answer(c, change, code);
  return !answered.ok || asked(person, answered.payload) ? answered : { ok: false, reason: "over" };
}

/** Changes a person's phone by the code that was sent to the new one; the old one was asked before. */
export async function changePhoneByCode(
  c: Context<AppEnv>,
  person: Person,
  code: string,
): Promise<{ ok: true } | Refused> {
  const answered = await verified(c, "phone", person, code);
  if (!answered.ok) return answered;
  if (!(await renew(c, person, { phone: answered.phone }))) return { ok: false, reason: "taken" };
  if (person.phone !== null) await notify(c, person.phone, NOTICES.phone());
  return { ok: true };
}

/** Begins the wait after which the new phone replaces the old one, by the code that was sent to the new one. */
export async function beginWaitByCode(
  c: Context<AppEnv>,
  person: Person,
  code: string,
): Promise<{ ok: true } | Exclude<Answer, { ok: true }>> {
  const answered = await verified(c, "next-phone", person, code);
  if (!answered.ok) return answered;
  const at = Date.now() + PHONE_WAIT_MS;
  await setNextPhone(c.env.DB, person.id, answered.phone, at);
  if (person.phone !== null) await notify(c, person.phone, NOTICES.nextPhone(dayOf(at)));
  await audit(c, { action: "person.phone_waits", person });
  return { ok: true };
}

/** Stops the change of phone that this person's row shows as waiting. */
export async function stopNextPhone(env: Env, { id, nextPhone }: Person): Promise<void> {
  if (nextPhone !== null) await dropNextPhone(env.DB, id, nextPhone);
}

/**
 * Makes a change of phone whose wait is over; every session of the person ends with it. A phone that belongs to another
 * person by now is dropped. False when no change is due.
 */
export async function settleNextPhone(env: Env, person: Person, nowMs: number): Promise<boolean> {
  const { id, accountId, nextPhone, nextPhoneAt } = person;
  if (nextPhone === null || nextPhoneAt === null || nextPhoneAt > nowMs) return false;
  if (await renewPerson(env.DB, id, { phone: nextPhone }, { nowMs, ifNextPhone: nextPhone })) {
    await hangUp(env, accountId);
    const once = `${id} ${nextPhoneAt}`;
    await auditService(env, "phone change", { action: "person.phone", accountId, subject: id, once });
  } else {
    await stopNextPhone(env, person);
  }
  return true;
}

/** Makes the changes of phone whose wait is over; the scheduled handler calls it. */
export async function settleNextPhones(env: Env, nowMs: number): Promise<void> {
  for (const person of await peopleWithDuePhone(env.DB, nowMs, DUE_MAX)) {
    await settleNextPhone(env, person, nowMs).catch((problem: unknown) => logProblem("next phone", problem));
  }
}
