import type { Config } from "../config/settings.ts";
import { configOf } from "../config/config.ts";
import { randomId } from "../crypto/ids.ts";
import { signedHeaders } from "../crypto/webhook-signature.ts";
import { deleteNotice, takeNotice } from "../db/health/alert-notices.ts";
import { logLine } from "../log.ts";

// The channel of alerts: signed POSTs to ALERT_URL (Standard Webhooks 1.0.0), in the order in which they were written.
// A notice has one id and one body for ever, and is repeated until its receiver answers 2xx: at least once.

/** How long one delivery may take, in ms. */
const TIMEOUT_MS = 10_000;

/** Notices that one run delivers at most. */
const NOTICES_PER_RUN = 50;

/** A notice that was not taken for so long, in ms, is of no use; its alert, while open, is still reminded of. */
const KEPT_MS = 7 * 86_400_000;

/** Characters of an answer that are shown to the operator. */
const ANSWER_LENGTH_MAX = 200;

/** What became of one delivery. `status` is null where no answer came; `answer` is its beginning, or why none came. */
export interface Delivery {
  ok: boolean;
  status: number | null;
  tookMs: number;
  answer: string;
}

interface Channel {
  url: string;
  secret: string;
}

/** Where alerts are reported; null where no channel is configured. */
function channelOf({ ALERT_URL: url, ALERT_SECRET: secret }: Config): Channel | null {
  return url === undefined || secret === undefined ? null : { url, secret };
}

/** The beginning of an answer's text; empty where it cannot be read. */
async function beginningOf({ body }: Response): Promise<string> {
  let text = "";
  try {
    for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part;
      if (text.length >= ANSWER_LENGTH_MAX) break;
    }
  } catch {
    // The status says all, even if the rest cannot be read.
  }
  return text.slice(0, ANSWER_LENGTH_MAX);
}

/** Delivers one body. Never throws. */
async function post({ url, secret }: Channel, id: string, body: string): Promise<Delivery> {
  const beganMs = Date.now();
  const done = (rest: Omit<Delivery, "tookMs">): Delivery => ({ ...rest, tookMs: Math.max(0, Date.now() - beganMs) });
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...signedHeaders(secret, id, body, beganMs) },
      body,
      // A redirect is not followed: it would take the notice to a host that the operator did not configure.
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return done({ ok: response.ok, status: response.status, answer: await beginningOf(response) });
  } catch (problem) {
    const isLate = problem instanceof Error && problem.name === "TimeoutError";
    return done({ ok: false, status: null, answer: isLate ? "timeout" : "connection failed" });
  }
}

/**
 * Delivers the notices that wait, oldest first, and stops at one that is not taken: it is tried again after a gap that
 * grows to an hour. Two callers at once deliver none twice, unless a delivery takes longer than its gap.
 */
export async function deliverNotices(env: Env, nowMs: number): Promise<void> {
  const channel = channelOf(configOf(env));
  if (!channel) return;
  for (let nth = 0; nth < NOTICES_PER_RUN; nth++) {
    const notice = await takeNotice(env.DB, nowMs);
    if (!notice) return;
    const { ok, status, answer } = await post(channel, notice.id, notice.body);
    if (!ok && nowMs - notice.at < KEPT_MS) {
      const line = { id: notice.id, tries: notice.tries, status, answer: status === null ? answer : null };
      return logLine("alert_not_delivered", line);
    }
    if (!ok) logLine("alert_given_up", { id: notice.id, tries: notice.tries, status });
    await deleteNotice(env.DB, notice.seq);
  }
}

/** Sends a test notice at once, once, and returns what came back; null where no channel is configured. */
export async function sendTestNotice(env: Env, nowMs: number): Promise<Delivery | null> {
  const channel = channelOf(configOf(env));
  if (!channel) return null;
  const timestamp = new Date(nowMs).toISOString();
  const meaning = "The operator tries the channel; nothing is wrong.";
  const body = JSON.stringify({ type: "alert.test", timestamp, data: { meaning } });
  return post(channel, randomId("alert_test"), body);
}
