import type { Context } from "hono";
import { mac, sameBytes } from "../crypto/bytes.ts";
import { randomCode } from "../crypto/ids.ts";
import { challengeByHash, deleteChallenge, forgetChallenges, insertChallenge, takeTry } from "../db/sign-in.ts";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import { asciiDigits } from "../text/phones.ts";
import { admitCode, admitProof } from "./attempts.ts";
import { sendCode } from "./code-sender.ts";
import type { Sent } from "./code-sender.ts";
import { dropCookie, hashOf, keepCookie, newToken, readCookie } from "./sessions.ts";

// One-time passwords: asked for by a browser, answered by the same browser. A random token in its cookie names the
// challenge, so wrong guesses of others reach no challenge but their own.

/** What a code is for; one that was asked for one thing is good for no other. */
type Purpose = "sign-in" | "confirm" | "phone";

const COOKIE = "challenge";

/** How long a code is good. */
const CODE_TTL_MS = 5 * 60_000;

/** Wrong answers that a code bears: a guesser finds one of a million codes with 1 in 200,000. */
const TRIES_MAX = 5;

/** For so long another code may be asked for without typing the number again. */
const KEPT_MS = 30 * 60_000;

interface Question {
  purpose: Purpose;
  phone: string;
  /** What is to be done with the answer; made only when the code may be sent, for it may be costly. */
  payload: () => Promise<Record<string, string>> | Record<string, string>;
}

export type Answer =
  | { ok: true; phone: string; payload: Record<string, string> }
  | { ok: false; reason: "malformed" }
  | { ok: false; reason: "wrong"; triesLeft: number }
  | { ok: false; reason: "over" };

/** A code's MAC, bound to its challenge: a million codes are soon tried, a secret is not. */
function proofOf(c: Context<AppEnv>, hash: string, code: string): Uint8Array {
  return mac(settings(c).KEY_SECRET, "one-time-password/v1", `${hash}\0${code}`);
}

/** Sends a code and leaves the browser the cookie that may answer it; what was asked before is over then. */
export async function askCode(c: Context<AppEnv>, { purpose, phone, payload }: Question): Promise<Sent> {
  const session = c.get("session");
  const verdict =
    purpose === "confirm" && session ? await admitProof(c, "code", session.hash) : await admitCode(c, phone);
  if (!verdict.ok) return { ...verdict, reason: "rate_limited" };
  const token = newToken();
  const hash = hashOf(token);
  const code = randomCode();
  await insertChallenge(c.env.DB, {
    hash,
    phone,
    code: Buffer.from(proofOf(c, hash, code)).toString("base64url"),
    purpose,
    payload: await payload(),
    tries: 0,
    expiresAt: Date.now() + CODE_TTL_MS,
  });
  const sent = await sendCode(c, phone, code, `sign-in-${hash}`);
  if (!sent.ok) {
    await deleteChallenge(c.env.DB, hash);
    return sent;
  }
  const before = readCookie(c, COOKIE);
  if (before !== undefined) await deleteChallenge(c.env.DB, hashOf(before));
  keepCookie(c, COOKIE, token, KEPT_MS);
  return sent;
}

/** The challenge of this browser, also one that is over; null where it has none for this purpose. */
export async function currentChallenge(
  c: Context<AppEnv>,
  purpose: Purpose,
): Promise<{ phone: string; payload: Record<string, string> } | null> {
  const token = readCookie(c, COOKIE);
  const row = token === undefined ? null : await challengeByHash(c.env.DB, hashOf(token));
  return row?.purpose === purpose ? row : null;
}

/** Sends another code in place of this browser's last one. */
export async function askAgain(c: Context<AppEnv>, purpose: Purpose): Promise<Sent | { ok: false; reason: "over" }> {
  const known = await currentChallenge(c, purpose);
  return known
    ? askCode(c, { purpose, phone: known.phone, payload: () => known.payload })
    : { ok: false, reason: "over" };
}

/** Takes an answer. A try is counted before the answer is looked at, and of several right answers at once one counts. */
export async function answer(c: Context<AppEnv>, purpose: Purpose, typed: string): Promise<Answer> {
  const token = readCookie(c, COOKIE);
  if (token === undefined) return { ok: false, reason: "over" };
  const code = asciiDigits(typed.slice(0, 40)).replaceAll(/[\s-]/gu, "");
  if (!/^[0-9]{6}$/u.test(code)) return { ok: false, reason: "malformed" };
  const hash = hashOf(token);
  const row = await takeTry(c.env.DB, hash, purpose, TRIES_MAX, Date.now());
  if (!row) return { ok: false, reason: "over" };
  if (!sameBytes(Buffer.from(row.code, "base64url"), proofOf(c, hash, code))) {
    const triesLeft = TRIES_MAX - row.tries;
    return triesLeft > 0 ? { ok: false, reason: "wrong", triesLeft } : { ok: false, reason: "over" };
  }
  if (!(await deleteChallenge(c.env.DB, hash))) return { ok: false, reason: "over" };
  dropCookie(c, COOKIE);
  return { ok: true, phone: row.phone, payload: row.payload };
}

/** Forgets challenges that nobody can ask again; the scheduled handler calls it. */
export async function forgetOldChallenges(env: Env, nowMs: number): Promise<void> {
  await forgetChallenges(env.DB, nowMs - KEPT_MS);
}
