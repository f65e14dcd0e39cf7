import { createHash, randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { PRODUCT } from "../config/settings.ts";
import { asset } from "../http/assets.ts";
import built from "../http/built.json";
import { codePoints } from "../text/code-points.ts";
import { memberOf } from "./common-passwords.ts";
import { coresOf, isMobile, isPattern, plain } from "./guessable.ts";

// Passwords are hashed with scrypt. Its parameters are stored with each hash, so that they can be raised for new
// passwords while the old ones stay valid.

interface Cost {
  N: number;
  r: number;
  p: number;
}

/**
 * About 70 ms and 16 MB per password, which a Worker has. OWASP asks for five times the work; here a password alone opens
 * nothing in a browser that its owner has not used before.
 */
const COST: Cost = { N: 16_384, r: 8, p: 1 };

const SALT_SIZE = 16;
const HASH_SIZE = 32;

/** A hash of fewer than ten characters can be reversed by guessing; the maximum bounds the work for one password. */
const PASSWORD_LENGTH_MIN = 10;
const PASSWORD_LENGTH_MAX = 200;

type Derive = (text: string, salt: Uint8Array, size: number, cost: Cost) => Promise<Buffer>;

const derive: Derive = (text, salt, size, cost) =>
  new Promise((resolve, reject) => {
    scrypt(text, salt, size, cost, (problem, hash) => (problem ? reject(problem) : resolve(hash)));
  });

/** Unicode normalization, because keyboards send different code points for the same character (RFC 8265 §4.2.1). */
const spelled = (password: string) => password.normalize("NFC");

/** A password as it is stored: `scrypt$N$r$p$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_SIZE);
  const hash = await derive(spelled(password), salt, HASH_SIZE, COST);
  const { N, r, p } = COST;
  return ["scrypt", N, r, p, salt.toString("base64url"), hash.toString("base64url")].join("$");
}

/** Compared instead of a password that does not exist. No password derives a hash of zeros. */
const ABSENT_PASSWORD = [
  "scrypt",
  COST.N,
  COST.r,
  COST.p,
  Buffer.alloc(SALT_SIZE).toString("base64url"),
  Buffer.alloc(HASH_SIZE).toString("base64url"),
].join("$");

/** Whether this is the stored password. Null (unknown person, or no password) takes the same time and is false. */
export async function isPassword(password: string, stored: string | null, work: Derive = derive): Promise<boolean> {
  const [kind, N, r, p, salt = "", hash = ""] = (stored ?? ABSENT_PASSWORD).split("$");
  if (kind !== "scrypt") throw new Error("a stored password is of an unknown kind");
  const expected = Buffer.from(hash, "base64url");
  // A text that is longer than any password is wrong, and is not hashed: an empty one takes its place.
  const text = codePoints(password.slice(0, 2 * PASSWORD_LENGTH_MAX + 1)) > PASSWORD_LENGTH_MAX ? "" : password;
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const found = await work(spelled(text), Buffer.from(salt, "base64url"), expected.length, cost);
  return timingSafeEqual(found, expected) && stored !== null;
}

/** Names a stored password without revealing it, so that what it began can be refused once it was changed. */
export function passwordPrint(stored: string | null): string {
  return createHash("sha256")
    .update(stored ?? "")
    .digest("base64url");
}

type PasswordFault = "short" | "long" | "obvious";

const made = new WeakMap<ArrayBuffer, (text: string) => boolean>();

/**
 * Whether a text is among those that guessers try first. They are a static file, since only what sets a password needs
 * them (scripts/build.mjs); ends the request with 503 where it cannot be read.
 */
export async function commonPasswords(env: Env): Promise<(text: string) => boolean> {
  const bytes = await asset(env, built.passwords);
  // The file is exactly common-passwords.json.
  const known =
    made.get(bytes) ?? memberOf(JSON.parse(new TextDecoder().decode(bytes)) as Parameters<typeof memberOf>[0]);
  made.set(bytes, known);
  return known;
}

/** Shorter parts of a name are parts of many words. */
const KNOWN_LENGTH_MIN = 3;

/** Characters beside a person's own name, phone or e-mail that do not make a password of it. */
const BESIDE_LENGTH_MAX = 6;

/** The words that other people connect with a person, longest first: what is known of them, and its parts. */
function knownWords(known: readonly string[]): string[] {
  const parts = known.flatMap((one) => [one, one.split("@")[0] ?? "", ...one.split(/[^\p{L}\p{N}]+/u)]);
  const words = new Set([...parts, PRODUCT].map(plain).filter((word) => word.length >= KNOWN_LENGTH_MIN));
  return [...words].toSorted((one, other) => other.length - one.length);
}

/** Whether a plain text is little more than the words that other people connect with its owner. */
function isOwnWords(text: string, known: readonly string[]): boolean {
  const rest = knownWords(known).reduce((left, word) => left.replaceAll(word, ""), text);
  return rest !== text && (rest.length <= BESIDE_LENGTH_MAX || isPattern(rest));
}

/**
 * What is wrong with a new password, or null (ASVS 5, 6.2.4: the most common ones are refused, however they are
 * capitalized or ended). `known` is what other people know of its owner: e-mail, phone, name; `isCommon` says what guessers
 * try first (`commonPasswords`).
 */
export function passwordFault(
  password: string,
  known: readonly string[],
  isCommon: (text: string) => boolean,
): PasswordFault | null {
  const length = codePoints(password);
  if (length < PASSWORD_LENGTH_MIN) return "short";
  if (length > PASSWORD_LENGTH_MAX) return "long";
  const text = plain(password);
  const isGuessed = isPattern(text) || isMobile(text) || [text, ...coresOf(password)].some(isCommon);
  return isGuessed || isOwnWords(text, known) ? "obvious" : null;
}
