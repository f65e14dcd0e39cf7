import type { Context } from "hono";
import { mac, sameBytes } from "../crypto/bytes.ts";
import { randomId } from "../crypto/ids.ts";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import { keepCookie, readCookie } from "./sessions.ts";

// Browsers that a person signed in with before. The cookie is not a credential: it only selects the person's own
// rate-limit buckets, so that guesses from elsewhere cannot lock the person out of this browser.

const NAME = "device";
const KEPT_MS = 365 * 86_400_000;
const PROOF_SIZE = 16;

interface Device {
  personId: string;
  deviceId: string;
}

function proofOf(c: Context<AppEnv>, { personId, deviceId }: Device): Uint8Array {
  return mac(settings(c).KEY_SECRET, "device/v1", `${personId}.${deviceId}`, PROOF_SIZE);
}

/** The person who last signed in with this browser, or null. */
export function knownDevice(c: Context<AppEnv>): Device | null {
  const [personId = "", deviceId = "", proof = ""] = (readCookie(c, NAME) ?? "").split(".");
  const device = { personId, deviceId };
  return sameBytes(Buffer.from(proof, "base64url"), proofOf(c, device)) ? device : null;
}

/** Sets the cookie that names this person and this browser. */
export function rememberDevice(c: Context<AppEnv>, personId: string): void {
  const known = knownDevice(c);
  const device = known?.personId === personId ? known : { personId, deviceId: randomId("dev") };
  const proof = Buffer.from(proofOf(c, device)).toString("base64url");
  keepCookie(c, NAME, `${device.personId}.${device.deviceId}.${proof}`, KEPT_MS);
}
