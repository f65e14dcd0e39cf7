import type { Context } from "hono";
import { mac } from "../crypto/bytes.ts";
import { randomCode } from "../crypto/ids.ts";
import { isProved } from "../crypto/secrets.ts";
import { challengeByHash, deleteChallenge, forgetChallenges, insertChallenge, takeTry } from "../db/sign-in.ts";
import { settings } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import { asciiDigits, isMobileIn } from "../text/phones.ts";
import { admitCode } from "./attempts.ts";
import type { BotCheck, CheckAnswer } from "./bot-check.ts";
import { sendCode } from "./code-sender.ts";
import type { Sent } from "./code-sender.ts";
import { dropCookie, hashOf, keepCookie, newToken, readCookie } from "./sessions.ts";

// One-time passwords. A random token in the browser's cookie names the challenge: only the browser that requested a
// code can answer it, and wrong guesses by other clients do not count against it.

/** What a code is for; it is not valid for any other purpose. */
type Purpose = "sign-in" | "password" | "confirm" | "phone" | "next-phone";

const COOKIE = "challenge";

/** How long a code is valid. */
const CODE_TTL_MS = 5 * 60_000;

/** Wrong answers that a code allows: guessing one of a million codes succeeds with a probability of 1 in 200,000. */
const TRIES_MAX = 5;

/** How long another code can be requested without typing the number again. */
const KEPT_MS = 30 * 60_000;

interface Question {
  purpose: Purpose;
  phone: string;
  /** Data for the action after a right answer; computed only once the code may be sent, because it can be costly. */
  payload: () => Promise<Record<string, string>> | Record<string, string>;
  /** The form's answer to a bot check. Without it none is asked for: a session or a password was proved before. */
  answer?: CheckAnswer;
}

/** Whether a code was sent, and why not. */
export type Asked = Sent | { ok: false; reason: "unreachable" } | { ok: false; reason: "bot_check"; check: BotCheck };

export type Answer =
  | { ok: true; phone: string; payload: Record<string, string> }
  | { ok: false; reason: "malformed" }
  | { ok: false; reason: "wrong"; triesLeft: number }
  | { ok: false; reason: "over" };

/** A code's MAC, bound to its challenge. A plain hash could be reversed by trying a million codes. */
function proofOf(secret: string, hash: string, code: string): Uint8Array {
  return mac(secret, "one-time-password/v1", `${hash}\0${code}`);
}

/** Sends a code, and sets the cookie with which the browser can answer it; the browser's previous challenge ends. */
export async function askCode(c: Context<AppEnv>, { purpose, phone, payload, answer }: Question): Promise<Asked> {
  if (!isMobileIn(phone, settings(c).SIGN_IN_COUNTRIES)) return { ok: false, reason: "unreachable" };
  const verdict = await admitCode(c, phone, answer ?? null);
  if (!verdict.ok) return verdict;
  const token = newToken();
  const hash = hashOf(token);
  const code = randomCode();
  await insertChallenge(c.env.DB, {
    hash,
    phone,
    code: Buffer.from(proofOf(settings(c).KEY_SECRET.current.value, hash, code)).toString("base64url"),
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

/** The challenge of this browser, even if it has expired; null when it has none for this purpose. */
export async function currentChallenge(
  c: Context<AppEnv>,
  purpose: Purpose,
): Promise<{ phone: string; payload: Record<string, string> } | null> {
  const token = readCookie(c, COOKIE);
  const row = token === undefined ? null : await challengeByHash(c.env.DB, hashOf(token));
  return row?.purpose === purpose ? row : null;
}

/** Sends this browser another code in place of its last one. */
export async function askAgain(
  c: Context<AppEnv>,
  purpose: Purpose,
  answer?: CheckAnswer,
): Promise<Asked | { ok: false; reason: "over" }> {
  const known = await currentChallenge(c, purpose);
  return known
    ? askCode(c, { purpose, phone: known.phone, payload: () => known.payload, ...(answer && { answer }) })
    : { ok: false, reason: "over" };
}

/** Checks an answer. The try is counted before the comparison, and of several concurrent right answers one succeeds. */
export async function answer(c: Context<AppEnv>, purpose: Purpose, typed: string): Promise<Answer> {
  const token = readCookie(c, COOKIE);
  if (token === undefined) return { ok: false, reason: "over" };
  const code = asciiDigits(typed.slice(0, 40)).replaceAll(/[\s-]/gu, "");
  if (!/^[0-9]{6}$/u.test(code)) return { ok: false, reason: "malformed" };
  const hash = hashOf(token);
  const row = await takeTry(c.env.DB, hash, purpose, TRIES_MAX, Date.now());
  if (!row) return { ok: false, reason: "over" };
  const isRight = isProved(settings(c).KEY_SECRET, Buffer.from(row.code, "base64url"), (secret) =>
    proofOf(secret, hash, code),
  );
  if (!isRight) {
    const triesLeft = TRIES_MAX - row.tries;
    return triesLeft > 0 ? { ok: false, reason: "wrong", triesLeft } : { ok: false, reason: "over" };
  }
  if (!(await deleteChallenge(c.env.DB, hash))) return { ok: false, reason: "over" };
  dropCookie(c, COOKIE);
  return { ok: true, phone: row.phone, payload: row.payload };
}

/** Deletes challenges for which no other code can be requested any more; the scheduled handler calls it. */
export async function forgetOldChallenges(env: Env, nowMs: number): Promise<void> {
  await forgetChallenges(env.DB, nowMs - KEPT_MS);
}
