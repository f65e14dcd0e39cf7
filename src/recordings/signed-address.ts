import type { Config } from "../config/settings.ts";
import { joinBytes, mac, sameBytes } from "../crypto/bytes.ts";
import { accountBytes, accountIdOf, objectName } from "../crypto/ids.ts";
import { FIRST_ID, secretsOf } from "../crypto/secrets.ts";
import type { GivenSecrets } from "../crypto/secrets.ts";
import { SPEECH_FOLDER, telephoneKey } from "../model/message.ts";
import type { Content } from "../model/message.ts";
import type { AccountRef } from "../model/ref.ts";

// Signed, expiring addresses of recordings (contract §11): the token holds the mode and the id of its secret, what it is of,
// account, recording and expiry, and a MAC. Its first byte is 0 or 1, the mode, for the secret with the id 1.

/** The media type under which a recording is served. */
export type Mime = "audio/wav" | "audio/mpeg";

interface Form {
  mime: Mime;
  key: (ref: AccountRef, hash: Uint8Array) => string;
}

/** The key of a text that was made into sound: one object per account, voice, rate and text. */
export const speechKey = (ref: AccountRef, hash: Uint8Array): string =>
  `${SPEECH_FOLDER}/${objectName(ref)}/${Buffer.from(hash).toString("hex")}`;

/** What an address may open. A token holds the index in this list, so entries are only ever appended. */
const WAV = 0;
const MP3 = 1;
const TELEPHONE = 2;
const SPEECH = 3;
const FORMS: readonly [Form, ...Form[]] = [
  { mime: "audio/wav", key: recordingKey },
  { mime: "audio/mpeg", key: recordingKey },
  { mime: "audio/wav", key: (ref, hash) => telephoneKey(recordingKey(ref, hash)) },
  { mime: "audio/wav", key: speechKey },
];

/** The parts of a key, and the form in which it is served. */
function readKey(objectKey: string, mime: string): { name: string; hash: string; form: number } {
  const [first = "", second = "", third = ""] = objectKey.split("/");
  if (first === SPEECH_FOLDER) return { name: second, hash: third, form: SPEECH };
  const [hash = ""] = second.split(".");
  const form = telephoneKey(`${first}/${hash}`) === objectKey ? TELEPHONE : mime === "audio/mpeg" ? MP3 : WAV;
  return { name: first, hash, form };
}

const HASH_SIZE = 32;
const BODY_SIZE = 1 + 1 + 8 + HASH_SIZE + 8;
const MAC_SIZE = 16;

/** The key of a recording in R2: one object per account and content, however often it is uploaded. */
export function recordingKey(ref: AccountRef, hash: Uint8Array): string {
  return `${objectName(ref)}/${Buffer.from(hash).toString("hex")}`;
}

/** A token that opens one recording until `expiresAtMs`. */
export function mediaToken(given: GivenSecrets, objectKey: string, mime: string, expiresAtMs: number): string {
  const { name, hash, form } = readKey(objectKey, mime);
  const test = name.endsWith(".test");
  const body = new Uint8Array(BODY_SIZE);
  const secret = secretsOf(given).current;
  body[0] = (secret.id - FIRST_ID) * 2 + (test ? 1 : 0);
  body[1] = form;
  body.set(accountBytes(test ? name.slice(0, -".test".length) : name) ?? [], 2);
  body.set(Buffer.from(hash, "hex"), 10);
  new DataView(body.buffer).setFloat64(10 + HASH_SIZE, expiresAtMs);
  return Buffer.from(joinBytes(body, mac(secret.value, "media/v1", body, MAC_SIZE))).toString("base64url");
}

/** What a token opens; null when it was altered or has expired, or its secret is not listed any more. */
export function readMediaToken(
  given: GivenSecrets,
  token: string,
  nowMs: number,
): { objectKey: string; mime: Mime } | null {
  const bytes = Uint8Array.from(Buffer.from(token, "base64url"));
  // Base64 has several spellings of the same bytes; only the canonical one is accepted.
  if (bytes.length !== BODY_SIZE + MAC_SIZE || Buffer.from(bytes).toString("base64url") !== token) return null;
  const body = bytes.subarray(0, BODY_SIZE);
  const first = body[0] ?? 0;
  const secret = secretsOf(given).withId((first >> 1) + FIRST_ID);
  if (!secret || !sameBytes(mac(secret.value, "media/v1", body, MAC_SIZE), bytes.subarray(BODY_SIZE))) return null;
  if (new DataView(bytes.buffer).getFloat64(10 + HASH_SIZE) <= nowMs) return null;
  const ref: AccountRef = { accountId: accountIdOf(body.subarray(2, 10)), mode: first % 2 === 1 ? "test" : "live" };
  const { mime, key } = FORMS[body[1] ?? WAV] ?? FORMS[WAV];
  return { objectKey: key(ref, body.subarray(10, 10 + HASH_SIZE)), mime };
}

/** The path of a recording below the console's address; it works until `expiresAtMs`. */
export function mediaPath(
  secret: GivenSecrets,
  recording: { objectKey: string; mime: string },
  expiresAtMs: number,
): string {
  return `/media/${mediaToken(secret, recording.objectKey, recording.mime, expiresAtMs)}`;
}

/** The path of a message's recording below the console's address, for AUDIO_URL_TTL_MS; null without a recording. */
export function recordingPath(config: Config, { recording }: Content): string | null {
  return recording ? mediaPath(config.KEY_SECRET, recording, Date.now() + config.AUDIO_URL_TTL_MS) : null;
}

/** The address at which a carrier fetches a WAV file that was made for calls, for AUDIO_URL_TTL_MS. */
export function audioUrl(config: Config, objectKey: string): string {
  const expiresAtMs = Date.now() + config.AUDIO_URL_TTL_MS;
  return config.CONSOLE_URL + mediaPath(config.KEY_SECRET, { objectKey, mime: "audio/wav" }, expiresAtMs);
}
