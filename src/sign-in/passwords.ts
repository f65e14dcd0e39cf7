import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { codePoints } from "../text/code-points.ts";

// Passwords: scrypt, with its parameters beside the hash, so that they may be raised without asking anybody again.

interface Cost {
  N: number;
  r: number;
  p: number;
}

/** About 70 ms and 16 MB per password: what OWASP asks for at least, and what a Worker's memory bears. */
const COST: Cost = { N: 16_384, r: 8, p: 1 };

const SALT_SIZE = 16;
const HASH_SIZE = 32;

/** Below ten characters a stolen hash is guessed; above two hundred somebody tests our patience. */
const PASSWORD_LENGTH_MIN = 10;
const PASSWORD_LENGTH_MAX = 200;

type Derive = (text: string, salt: Uint8Array, size: number, cost: Cost) => Promise<Buffer>;

const derive: Derive = (text, salt, size, cost) =>
  new Promise((resolve, reject) => {
    scrypt(text, salt, size, cost, (problem, hash) => (problem ? reject(problem) : resolve(hash)));
  });

/** One spelling of a character that has several: keyboards differ in which they send (RFC 8265 §4.2.1). */
const spelled = (password: string) => password.normalize("NFC");

/** A password as it is stored: `scrypt$N$r$p$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_SIZE);
  const hash = await derive(spelled(password), salt, HASH_SIZE, COST);
  const { N, r, p } = COST;
  return ["scrypt", N, r, p, salt.toString("base64url"), hash.toString("base64url")].join("$");
}

/** Stands in for the password of somebody who has none. No password derives a hash of zeros. */
const NOBODYS = [
  "scrypt",
  COST.N,
  COST.r,
  COST.p,
  Buffer.alloc(SALT_SIZE).toString("base64url"),
  Buffer.alloc(HASH_SIZE).toString("base64url"),
].join("$");

/** Whether this is the stored password; null, where nobody or no password is there, takes the same work and is false. */
export async function isPassword(password: string, stored: string | null, work: Derive = derive): Promise<boolean> {
  const [kind, N, r, p, salt = "", hash = ""] = (stored ?? NOBODYS).split("$");
  if (kind !== "scrypt") throw new Error("a stored password is of an unknown kind");
  const expected = Buffer.from(hash, "base64url");
  // What is longer than any password is none, and is not worth its work.
  const text = codePoints(password.slice(0, 2 * PASSWORD_LENGTH_MAX + 1)) > PASSWORD_LENGTH_MAX ? "" : password;
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const found = await work(spelled(text), Buffer.from(salt, "base64url"), expected.length, cost);
  return timingSafeEqual(found, expected) && stored !== null;
}

type PasswordFault = "short" | "long" | "obvious";

/** Long enough for the rule, and on every list of guesses. */
const COMMON: ReadonlySet<string> = new Set(
  "1234567890 0123456789 0987654321 1234567891 12345678910 123456789a qwertyuiop 1q2w3e4r5t password12 password123 password1234 iloveyou123 india12345 welcome123 admin12345 dastak1234".split(
    " ",
  ),
);

const plain = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** What is wrong with a new password, or null. `known` is what others know of its owner: e-mail, phone, name. */
export function passwordFault(password: string, known: readonly string[]): PasswordFault | null {
  const length = codePoints(password);
  if (length < PASSWORD_LENGTH_MIN) return "short";
  if (length > PASSWORD_LENGTH_MAX) return "long";
  const text = plain(password);
  const told = known.flatMap((one) => [plain(one), plain(one.split("@")[0] ?? "")]);
  if (new Set(text).size < 4 || COMMON.has(text) || told.includes(text)) return "obvious";
  return null;
}
