import type { Context } from "hono";
import type { Config } from "../config/settings.ts";
import { forgetAttempts } from "../db/sign-in.ts";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import { passedCheck } from "./bot-check.ts";
import type { BotCheck, CheckAnswer } from "./bot-check.ts";
import { HOUR_MS, MINUTE_MS, retryAfter, takeAttempt } from "./buckets.ts";
import type { Limit } from "./buckets.ts";
import { alertCeilings, takeCode } from "./code-limits.ts";
import type { CodeRequest, CodeTaken } from "./code-limits.ts";
import { isKnownTo, knownDevice } from "./devices.ts";
import { originOf } from "./network.ts";
import { personWith } from "./people.ts";

// Rate limits of sign-in. A limit belongs to a person's phone or e-mail, to a network address, or to both. A browser
// with which the person signed in before counts for the person instead, so that attempts from elsewhere cannot exhaust
// its limits.

/** Passwords are tried again within a quarter of an hour. */
const QUARTER_MS = 15 * MINUTE_MS;

const LIMITS = {
  passwordPair: { max: 10, windowMs: QUARTER_MS },
  passwordAddress: { max: 50, windowMs: QUARTER_MS },
  /** Each password costs a hash of 70 ms, and one site has many networks. */
  passwordSite: { max: 200, windowMs: QUARTER_MS },
  passwordEmail: { max: 100, windowMs: HOUR_MS },
  /** A person's known browsers and sessions together. */
  passwordPerson: { max: 10, windowMs: QUARTER_MS },
  /** Settings reveals whether an e-mail is taken, so only a few can be tried. */
  change: { max: 10, windowMs: HOUR_MS },
  /** Each change of phone, e-mail or password is told to the phone by an SMS at the service's cost. */
  changeDay: { max: 20, windowMs: 24 * HOUR_MS },
  /** The operator's token cannot be guessed; this limits what the attempts cost. */
  deskAddress: { max: 20, windowMs: QUARTER_MS },
} as const satisfies Record<string, Omit<Limit, "name" | "subject">>;

type Verdict = { ok: true } | { ok: false; reason: "rate_limited"; retryAfterSec: number };

/** Whether one more code is sent; an unknown browser may have to pass a bot check first. */
export type CodeVerdict = Verdict | { ok: false; reason: "bot_check"; check: BotCheck };

/** Where attempts are counted. With the lowest secret, so that the counters begin anew only when it is taken away. */
const storeOf = (c: Context<AppEnv>) => ({ db: c.env.DB, secret: settings(c).KEY_SECRET.lowest.value });

/** Counts and checks one attempt; a subject that the platform does not tell is not limited. */
async function admit(
  c: Context<AppEnv>,
  subjects: readonly (readonly [keyof typeof LIMITS, string | null])[],
): Promise<Verdict> {
  const nowMs = Date.now();
  const { factor } = originOf(c, nowMs);
  const limits = subjects.flatMap(([name, subject]) => {
    const { max, windowMs } = LIMITS[name];
    return subject === null ? [] : [{ name, subject, max: max * factor, windowMs }];
  });
  const taken = await takeAttempt(storeOf(c), limits, nowMs);
  return taken.ok ? taken : { ok: false, reason: "rate_limited", retryAfterSec: retryAfter(taken.full, nowMs) };
}

/** The person of this browser's cookie, if this phone or e-mail is theirs. Without a cookie, none is looked up. */
async function ownerHere(c: Context<AppEnv>, of: { phone: string } | { email: string }): Promise<string | null> {
  const device = knownDevice(c);
  if (!device) return null;
  const person = await personWith(c.env, { id: device.personId });
  const own = "phone" in of ? person?.phone === of.phone : person?.email === of.email;
  return own && person && isKnownTo(person, device) ? device.personId : null;
}

/** The person whom a session or a known browser names, and whether the phone is that person's. */
async function requesterOf(c: Context<AppEnv>, phone: string): Promise<Pick<CodeRequest, "personId" | "own">> {
  const person = c.get("person");
  if (person?.phone === phone) return { personId: person.id, own: true };
  const owner = await ownerHere(c, { phone });
  return { personId: owner ?? person?.id ?? null, own: owner !== null };
}

async function verdictOf(
  c: Context<AppEnv>,
  config: Config,
  { request, taken, nowMs }: { request: CodeRequest; taken: CodeTaken; nowMs: number },
): Promise<Verdict | null> {
  if (taken.ok) {
    await alertCeilings(
      { env: c.env, secret: config.KEY_SECRET.lowest.value },
      config,
      taken,
      request.origin.factor,
      nowMs,
    );
    return { ok: true };
  }
  if (taken.reason === "check") return null;
  return { ok: false, reason: "rate_limited", retryAfterSec: retryAfter(taken.full, nowMs) };
}

/**
 * Counts and checks one more code to this phone. `answer` is what the form says about a bot check; null where none is
 * asked for.
 */
export async function admitCode(c: Context<AppEnv>, phone: string, answer: CheckAnswer | null): Promise<CodeVerdict> {
  const config = settings(c);
  const nowMs = Date.now();
  const origin = originOf(c, nowMs);
  const requester = await requesterOf(c, phone);
  const request = { phone, origin, ...requester, checked: answer !== null && requester.personId === null };
  const first = await takeCode(storeOf(c), config, request, null, nowMs);
  const verdict = await verdictOf(c, config, { request, taken: first, nowMs });
  if (verdict) return verdict;
  if (!answer) throw new Error("a bot check was asked of a browser that gets none");
  // Only now is an answer looked at: a solution that is not needed stays unused, and costs no verification.
  const checked = await passedCheck(
    config,
    { phone, origin, address: c.req.header("cf-connecting-ip") },
    answer,
    nowMs,
  );
  if (!checked.ok) return { ok: false, reason: "bot_check", check: checked.check };
  const second = await takeCode(storeOf(c), config, request, checked.passed, nowMs);
  const final = await verdictOf(c, config, { request, taken: second, nowMs });
  return final ?? { ok: false, reason: "bot_check", check: checked.next };
}

/** Counts and checks one more password for this e-mail. */
export async function admitPassword(c: Context<AppEnv>, email: string): Promise<Verdict> {
  const personId = await ownerHere(c, { email });
  if (personId !== null) return admit(c, [["passwordPerson", personId]]);
  const { network, site } = originOf(c, Date.now());
  return admit(c, [
    ["passwordPair", network === null ? null : `${email} ${network}`],
    ["passwordAddress", network],
    ["passwordSite", site],
    ["passwordEmail", email],
  ]);
}

/** Counts and checks one more password with which a signed-in person confirms who they are. */
export function admitProof(c: Context<AppEnv>, personId: string): Promise<Verdict> {
  return admit(c, [["passwordPerson", personId]]);
}

/** Counts and checks one more phone, e-mail or password that this person tries to set. */
export function admitChange(c: Context<AppEnv>, personId: string): Promise<Verdict> {
  return admit(c, [
    ["change", personId],
    ["changeDay", personId],
  ]);
}

/** Counts and checks one more operator's token from the address of this request. */
export function admitDesk(c: Context<AppEnv>): Promise<Verdict> {
  return admit(c, [["deskAddress", originOf(c, Date.now()).network]]);
}

/** Deletes counters whose window has ended; the scheduled handler calls it. */
export async function forgetOldAttempts(env: Env, nowMs: number): Promise<void> {
  await forgetAttempts(env.DB, nowMs);
}
