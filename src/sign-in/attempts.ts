import type { Context } from "hono";
import { mac } from "../crypto/bytes.ts";
import { countAttempt, forgetAttempts } from "../db/sign-in.ts";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import { knownDevice } from "./devices.ts";
import { personWith } from "./people.ts";

// How often something may be tried. A count belongs to a person's phone or e-mail, to an address, or to both; a browser
// that its person signed in with before has a count of its own instead, so that nobody else can use it up.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface Limit {
  max: number;
  windowMs: number;
}

/** The name of each limit stands in its bucket, so that none counts for another. */
const LIMITS = {
  /** Codes cost money and disturb their receiver: one needs a few an hour. */
  codePair: { max: 5, windowMs: HOUR_MS },
  codeAddress: { max: 30, windowMs: HOUR_MS },
  codePhone: { max: 20, windowMs: HOUR_MS },
  codeDevice: { max: 10, windowMs: HOUR_MS },
  passwordPair: { max: 10, windowMs: 15 * MINUTE_MS },
  passwordAddress: { max: 50, windowMs: 15 * MINUTE_MS },
  passwordEmail: { max: 100, windowMs: HOUR_MS },
  passwordDevice: { max: 10, windowMs: 15 * MINUTE_MS },
  /** Whether an e-mail is taken can be learned from Settings: not often. */
  change: { max: 10, windowMs: HOUR_MS },
  /** The operator's token cannot be guessed; this keeps whoever tries from costing anything. */
  deskAddress: { max: 20, windowMs: 15 * MINUTE_MS },
} as const satisfies Record<string, Limit>;

type LimitName = keyof typeof LIMITS;

/** On one's own machine every browser, script and test comes from one address, and together they are many. */
const LOCAL_FACTOR = 20;

type Verdict = { ok: true } | { ok: false; retryAfterSec: number };

const groups = (text: string) => (text === "" ? [] : text.split(":"));

/** The network of an address: itself, and of an IPv6 address the /64 that one customer of a provider holds. */
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

/** Where a request comes from, and whether that says anything: Cloudflare tells it, one's own machine does not. */
function origin(c: Context<AppEnv>): { address: string; factor: number } {
  const address = networkOf(c.req.header("cf-connecting-ip") ?? "");
  const nowhere = settings(c).ENVIRONMENT === "local" && (address === "" || LOOPBACK.has(address));
  return { address: address === "" ? "unknown" : address, factor: nowhere ? LOCAL_FACTOR : 1 };
}

/** Counts each bucket in turn and stops at the first that is full: what was refused uses nothing up that is wider. */
async function admit(c: Context<AppEnv>, buckets: readonly (readonly [LimitName, string])[]): Promise<Verdict> {
  const { factor } = origin(c);
  for (const [name, subject] of buckets) {
    const { max, windowMs } = LIMITS[name];
    const nowMs = Date.now();
    // A MAC, so that the table tells nobody's number and nobody's address.
    const bucket = Buffer.from(mac(settings(c).KEY_SECRET, `attempt/v1/${name}`, subject, 16)).toString("base64url");
    const { count, resetsAt } = await countAttempt(c.env.DB, bucket, windowMs, nowMs);
    if (count > max * factor) return { ok: false, retryAfterSec: Math.max(1, Math.ceil((resetsAt - nowMs) / 1000)) };
  }
  return { ok: true };
}

/** The device's id where it is one of the person with this phone or e-mail. Without a cookie nobody is looked up. */
async function ownDevice(c: Context<AppEnv>, of: { phone: string } | { email: string }): Promise<string | null> {
  const device = knownDevice(c);
  if (!device) return null;
  const person = await personWith(c.env, { id: device.personId });
  const own = "phone" in of ? person?.phone === of.phone : person?.email === of.email;
  return own ? device.deviceId : null;
}

/** Whether one more code may go to this phone. */
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

/** Whether one more password may be tried for this e-mail. */
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

/** Whether whoever holds this session may prove once more who they are, by a code or a password. */
export function admitProof(c: Context<AppEnv>, by: "code" | "password", sessionHash: string): Promise<Verdict> {
  return admit(c, [[by === "code" ? "codeDevice" : "passwordDevice", `session ${sessionHash}`]]);
}

/** Whether this person may try one more e-mail. */
export function admitChange(c: Context<AppEnv>, personId: string): Promise<Verdict> {
  return admit(c, [["change", personId]]);
}

/** Whether one more operator's token may be tried from where this request comes. */
export function admitDesk(c: Context<AppEnv>): Promise<Verdict> {
  return admit(c, [["deskAddress", origin(c).address]]);
}

/** Forgets counts whose time is over; the scheduled handler calls it. */
export async function forgetOldAttempts(env: Env, nowMs: number): Promise<void> {
  await forgetAttempts(env.DB, nowMs);
}
