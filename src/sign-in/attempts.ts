import type { Context } from "hono";
import { mac } from "../crypto/bytes.ts";
import { countAttempt, forgetAttempts } from "../db/sign-in.ts";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import { isKnownTo, knownDevice } from "./devices.ts";
import { personWith } from "./people.ts";

// Rate limits of sign-in. A bucket belongs to a person's phone or e-mail, to a network address, or to both. A browser
// with which the person signed in before has a bucket of its own instead, so that attempts from elsewhere cannot
// exhaust it.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface Limit {
  max: number;
  windowMs: number;
}

/** The name of a limit is part of its buckets' keys, so that each limit counts separately. */
const LIMITS = {
  /** Codes cost money and disturb their receiver; a person needs a few an hour. */
  codePair: { max: 5, windowMs: HOUR_MS },
  codeAddress: { max: 30, windowMs: HOUR_MS },
  codePhone: { max: 20, windowMs: HOUR_MS },
  codeDevice: { max: 10, windowMs: HOUR_MS },
  passwordPair: { max: 10, windowMs: 15 * MINUTE_MS },
  passwordAddress: { max: 50, windowMs: 15 * MINUTE_MS },
  passwordEmail: { max: 100, windowMs: HOUR_MS },
  passwordDevice: { max: 10, windowMs: 15 * MINUTE_MS },
  /** Settings reveals whether an e-mail is taken, so only a few can be tried. */
  change: { max: 10, windowMs: HOUR_MS },
  /** Each change of phone, e-mail or password is told to the phone by an SMS at the service's cost. */
  changeDay: { max: 20, windowMs: 24 * HOUR_MS },
  /** The operator's token cannot be guessed; this limits what the attempts cost. */
  deskAddress: { max: 20, windowMs: 15 * MINUTE_MS },
} as const satisfies Record<string, Limit>;

type LimitName = keyof typeof LIMITS;

/** Factor on the limits when local, where every browser, script and test shares one address. */
const LOCAL_FACTOR = 20;

type Verdict = { ok: true } | { ok: false; retryAfterSec: number };

const groups = (text: string) => (text === "" ? [] : text.split(":"));

/** The network of an address: the address itself or, for IPv6, the /64 that one customer of a provider holds. */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([0-9.]+)$/iu.exec(address)?.[1];
  if (mapped !== undefined || !address.includes(":")) return mapped ?? address;
  const [head = "", tail] = address.split("::");
  const left = groups(head);
  const right = groups(tail ?? "");
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  const all = tail === undefined ? left : [...left, ...zeros, ...right];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "0:0:0:0"]);

/** The network address of a request, and the factor on its limits. Locally, all requests share one address. */
function origin(c: Context<AppEnv>): { address: string; factor: number } {
  const address = networkOf(c.req.header("cf-connecting-ip") ?? "");
  const nowhere = settings(c).ENVIRONMENT === "local" && (address === "" || LOOPBACK.has(address));
  return { address: address === "" ? "unknown" : address, factor: nowhere ? LOCAL_FACTOR : 1 };
}

/** Counts the narrowest bucket first and stops at a full one, so a refused attempt never uses up a wider limit. */
async function admit(c: Context<AppEnv>, buckets: readonly (readonly [LimitName, string])[]): Promise<Verdict> {
  const { factor } = origin(c);
  for (const [name, subject] of buckets) {
    const { max, windowMs } = LIMITS[name];
    const nowMs = Date.now();
    // A MAC, so that the table reveals no phone number and no address.
    const bucket = Buffer.from(mac(settings(c).KEY_SECRET, `attempt/v1/${name}`, subject, 16)).toString("base64url");
    const { count, resetsAt } = await countAttempt(c.env.DB, bucket, windowMs, nowMs);
    if (count > max * factor) return { ok: false, retryAfterSec: Math.max(1, Math.ceil((resetsAt - nowMs) / 1000)) };
  }
  return { ok: true };
}

/** The device's id, if it belongs to the person with this phone or e-mail. Without a cookie, no person is looked up. */
async function ownDevice(c: Context<AppEnv>, of: { phone: string } | { email: string }): Promise<string | null> {
  const device = knownDevice(c);
  if (!device) return null;
  const person = await personWith(c.env, { id: device.personId });
  const own = "phone" in of ? person?.phone === of.phone : person?.email === of.email;
  return own && person && isKnownTo(person, device) ? device.deviceId : null;
}

/** Counts and checks one more code to this phone. */
export async function admitCode(c: Context<AppEnv>, phone: string): Promise<Verdict> {
  const deviceId = await ownDevice(c, { phone });
  if (deviceId !== null) return admit(c, [["codeDevice", deviceId]]);
  const { address } = origin(c);
  return admit(c, [
    ["codePair", `${phone} ${address}`],
    ["codeAddress", address],
    ["codePhone", phone],
  ]);
}

/** Counts and checks one more password for this e-mail. */
export async function admitPassword(c: Context<AppEnv>, email: string): Promise<Verdict> {
  const deviceId = await ownDevice(c, { email });
  if (deviceId !== null) return admit(c, [["passwordDevice", deviceId]]);
  const { address } = origin(c);
  return admit(c, [
    ["passwordPair", `${email} ${address}`],
    ["passwordAddress", address],
    ["passwordEmail", email],
  ]);
}

/** Counts and checks one more authentication, by a code or a password, of the holder of this session. */
export function admitProof(c: Context<AppEnv>, by: "code" | "password", sessionHash: string): Promise<Verdict> {
  return admit(c, [[by === "code" ? "codeDevice" : "passwordDevice", `session ${sessionHash}`]]);
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
  return admit(c, [["deskAddress", origin(c).address]]);
}

/** Deletes counters whose window has ended; the scheduled handler calls it. */
export async function forgetOldAttempts(env: Env, nowMs: number): Promise<void> {
  await forgetAttempts(env.DB, nowMs);
}
