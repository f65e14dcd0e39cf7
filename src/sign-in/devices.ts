import type { Context } from "hono";
import { mac } from "../crypto/bytes.ts";
import { randomId } from "../crypto/ids.ts";
import { isProved } from "../crypto/secrets.ts";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import type { Person } from "../model/person.ts";
import { keepCookie, readCookie } from "./sessions.ts";

// Browsers that a person signed in with before. The cookie alone opens nothing: it selects the person's own rate-limit
// buckets, so that guesses from elsewhere cannot lock the person out of this browser, and a password in it needs no code.

const NAME = "device";
const KEPT_MS = 365 * 86_400_000;
const PROOF_SIZE = 16;

interface Device {
  personId: string;
  deviceId: string;
  /** When the person last signed in with it, in ms. */
  rememberedAt: number;
}

function proofOf(secret: string, { personId, deviceId, rememberedAt }: Device): Uint8Array {
  return mac(secret, "device/v2", `${personId}.${deviceId}.${rememberedAt}`, PROOF_SIZE);
}

/** The browser as its cookie names it, or null; whether its person still knows it, only `isKnownTo` says. */
export function knownDevice(c: Context<AppEnv>): Device | null {
  const [personId = "", deviceId = "", at = "", proof = ""] = (readCookie(c, NAME) ?? "").split(".");
  const device = { personId, deviceId, rememberedAt: Number(at) };
  const given = Buffer.from(proof, "base64url");
  return isProved(settings(c).KEY_SECRET, given, (secret) => proofOf(secret, device)) ? device : null;
}

/** Whether the person signed in with this browser, and has not had their other browsers forgotten since. */
export function isKnownTo(person: Person, device: Device): boolean {
  return device.personId === person.id && device.rememberedAt >= person.devicesSince;
}

/** Sets the cookie that names this person and this browser. */
export function rememberDevice(c: Context<AppEnv>, personId: string): void {
  const known = knownDevice(c);
  const deviceId = known?.personId === personId ? known.deviceId : randomId("dev");
  const device = { personId, deviceId, rememberedAt: Date.now() };
  const proof = Buffer.from(proofOf(settings(c).KEY_SECRET.current.value, device)).toString("base64url");
  keepCookie(c, NAME, `${personId}.${deviceId}.${device.rememberedAt}.${proof}`, KEPT_MS);
}
