import { raiseAlert } from "../alerts/alerts.ts";
import type { Config } from "../config/settings.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, takeAttempt } from "./buckets.ts";
import type { FullLimit, Limit, Taken } from "./buckets.ts";
import type { Origin } from "./network.ts";

// Limits of sign-in codes. Codes cost money and disturb their receiver, and all of them leave by one account of the
// service. What is limited is what a visitor cannot mint: a person, a phone, an address and what is around it, and the
// whole service. Part of the service's ceilings is kept for people in browsers that they used before.

/** A limit that admits less to a browser that has not passed a bot check. */
interface CodeLimit extends Limit {
  /** How many are admitted without a bot check; `max` where none is asked for. */
  free: number;
}

/** The share of a ceiling that unknown browsers may use; the rest is kept for known ones. */
const STRANGERS_SHARE = 0.75;

/** The share of a ceiling from which on an unknown browser passes a bot check first. */
const FREE_SHARE = 0.5;

/** The share of what unknown browsers may use that one autonomous system may use: others stay able to sign in. */
const SYSTEM_SHARE = 0.5;

/** How a bot check was passed; each can be used once. */
export interface Passed {
  by: "work" | "turnstile" | "wait";
  /** What identifies the solution; a ticket counts once, however it was answered. */
  id: string;
}

/** For how long a used solution is remembered: solutions are valid for less. */
const USED_MS = 15 * MINUTE_MS;

/** One request for a code. */
export interface CodeRequest {
  phone: string;
  /** The person whom a session or a cookie of this browser names; null for an unknown browser. */
  personId: string | null;
  /** Whether the phone is that person's own. */
  own: boolean;
  /** Whether a bot check is asked for when a ceiling nears. */
  checked: boolean;
  origin: Origin;
}

/** Limits of a person in browsers that the person used before: attempts from elsewhere do not count here. */
function personLimits(personId: string): CodeLimit[] {
  return [
    { name: "codePerson", subject: personId, max: 10, free: 10, windowMs: HOUR_MS },
    { name: "codePersonDay", subject: personId, max: 20, free: 20, windowMs: DAY_MS },
  ];
}

/**
 * Limits of an unknown browser. One site gets a part of what a phone gets in a day, and one autonomous system half of
 * it: an attacker in one place cannot use up the codes of another person's phone.
 */
function strangerLimits(phone: string, { network, site, asn }: Origin): CodeLimit[] {
  const limits: CodeLimit[] = [];
  const place = site ?? network;
  if (place !== null) {
    limits.push({ name: "codePair", subject: `${phone} ${place}`, max: 5, free: 5, windowMs: HOUR_MS });
    limits.push({ name: "codePairDay", subject: `${phone} ${place}`, max: 10, free: 10, windowMs: DAY_MS });
  }
  if (asn !== null) {
    limits.push({ name: "codePairSystem", subject: `${phone} ${asn}`, max: 15, free: 15, windowMs: DAY_MS });
  }
  if (network !== null) limits.push({ name: "codeNetwork", subject: network, max: 30, free: 30, windowMs: HOUR_MS });
  if (site !== null) limits.push({ name: "codeSite", subject: site, max: 60, free: 30, windowMs: HOUR_MS });
  limits.push({ name: "codePhone", subject: phone, max: 20, free: 20, windowMs: HOUR_MS });
  limits.push({ name: "codePhoneDay", subject: phone, max: 30, free: 30, windowMs: DAY_MS });
  return limits;
}

const part = (ceiling: number, share: number) => Math.max(1, Math.floor(ceiling * share));

/** The limits of an autonomous system within the ceilings of the service. */
function systemLimits(config: Config, asn: string): CodeLimit[] {
  const limit = (name: string, ceiling: number, windowMs: number): CodeLimit => {
    const max = part(ceiling, STRANGERS_SHARE * SYSTEM_SHARE);
    return { name, subject: asn, max, free: part(ceiling, FREE_SHARE * SYSTEM_SHARE), windowMs };
  };
  return [
    limit("codeSystem", config.CODES_PER_MINUTE, MINUTE_MS),
    limit("codeSystemDay", config.CODES_PER_DAY, DAY_MS),
  ];
}

/** The ceilings of the whole service: in full for a known browser, in part for an unknown one. */
function ceilings(config: Config, known: boolean): CodeLimit[] {
  const limit = (name: string, ceiling: number, windowMs: number): CodeLimit => {
    const max = known ? ceiling : part(ceiling, STRANGERS_SHARE);
    return { name, subject: "", max, free: known ? ceiling : part(ceiling, FREE_SHARE), windowMs };
  };
  return [limit("codes", config.CODES_PER_MINUTE, MINUTE_MS), limit("codesDay", config.CODES_PER_DAY, DAY_MS)];
}

/** All limits of a request, scaled by the origin's factor, in the order in which they are counted. */
export function codeLimits(config: Config, { phone, personId, own, origin }: CodeRequest): CodeLimit[] {
  const known = own && personId !== null;
  const limits = [
    ...(personId === null ? [] : personLimits(personId)),
    ...(known ? [] : strangerLimits(phone, origin)),
    ...(known || origin.asn === null ? [] : systemLimits(config, origin.asn)),
    ...ceilings(config, known),
  ];
  const { factor } = origin;
  return limits.map((limit) => ({ ...limit, max: limit.max * factor, free: limit.free * factor }));
}

/** Limits of what passed a bot check: each solution once; waiting, which costs nothing, only a few times. */
function passedLimits({ by, id }: Passed, { network, site, factor }: Origin): CodeLimit[] {
  const once: CodeLimit = { name: "botCheck", subject: id, max: 1, free: 1, windowMs: USED_MS };
  if (by !== "wait") return [once];
  const wait = (name: string, subject: string, max: number): CodeLimit => ({
    name,
    subject,
    max: max * factor,
    free: max * factor,
    windowMs: 10 * MINUTE_MS,
  });
  return [
    once,
    ...(network === null ? [] : [wait("waitNetwork", network, 3)]),
    ...(site === null ? [] : [wait("waitSite", site, 10)]),
    wait("waits", "", 60),
  ];
}

/** A limit in force: `free` of it, until a bot check was passed. */
const inForce = (limits: readonly CodeLimit[], passed: boolean): Limit[] =>
  limits.map(({ name, subject, max, free, windowMs }) => ({ name, subject, max: passed ? max : free, windowMs }));

export type CodeTaken =
  | { ok: true; counts: number[]; limits: CodeLimit[] }
  /** `check`: a bot check would admit it. */
  | { ok: false; reason: "check" }
  | { ok: false; reason: "full"; full: FullLimit[] };

/** The limits that were full although a bot check was passed, or that none lifts. */
function stillFull(full: readonly FullLimit[], limits: readonly CodeLimit[]): FullLimit[] {
  return full.filter(({ limit, count }) => {
    const own = limits.find(({ name, subject }) => name === limit.name && subject === limit.subject);
    return own === undefined || count >= own.max;
  });
}

/** Why an attempt was refused, from the limits that were full. */
function refusalOf(taken: Extract<Taken, { ok: false }>, limits: readonly CodeLimit[]): CodeTaken {
  const full = stillFull(taken.full, limits).filter(({ limit }) => limit.name !== "botCheck");
  // A solution that was used before, and limits that another solution lifts.
  return full.length === 0 && taken.full.length > 0
    ? { ok: false, reason: "check" }
    : { ok: false, reason: "full", full };
}

/** Counts one code; with `passed`, after a bot check. */
export async function takeCode(
  store: { db: D1Database; secret: string },
  config: Config,
  request: CodeRequest,
  passed: Passed | null,
  nowMs: number,
): Promise<CodeTaken> {
  const limits = codeLimits(config, request);
  const all = [...limits, ...(passed ? passedLimits(passed, request.origin) : [])];
  const taken = await takeAttempt(store, inForce(all, passed !== null || !request.checked), nowMs);
  return taken.ok ? { ...taken, limits: all } : refusalOf(taken, all);
}

/** Levels of a ceiling at which the operator is alerted. */
function levelOf(limit: CodeLimit, count: number, config: Config, factor: number): string | null {
  const ceiling = limit.name === "codes" ? config.CODES_PER_MINUTE : config.CODES_PER_DAY;
  switch (count / factor) {
    case ceiling:
      return "reached";
    case part(ceiling, STRANGERS_SHARE):
      return "reached for unknown browsers";
    case part(ceiling, FREE_SHARE):
      return "near";
    default:
      return null;
  }
}

/**
 * Raises an alert that a ceiling of the service is near or reached: once per window, because each count occurs once in it, and at
 * most once an hour for each level.
 */
export async function alertCeilings(
  { env, secret }: { env: Env; secret: string },
  config: Config,
  { counts, limits }: Extract<CodeTaken, { ok: true }>,
  factor: number,
  nowMs: number,
): Promise<void> {
  for (const [at, limit] of limits.entries()) {
    if (limit.name !== "codes" && limit.name !== "codesDay") continue;
    const level = levelOf(limit, counts[at] ?? 0, config, factor);
    if (level === null) continue;
    const line = { name: "alert", subject: `${limit.name} ${level}`, max: 1, windowMs: HOUR_MS };
    if (!(await takeAttempt({ db: env.DB, secret }, [line], nowMs)).ok) continue;
    const ceiling = limit.name === "codes" ? "minute" : "day";
    const values = { ceiling, level, sent: counts[at] ?? 0 };
    await raiseAlert(env, { kind: "sign_in_codes", subject: `${ceiling}: ${level}`, values }, nowMs);
  }
}
