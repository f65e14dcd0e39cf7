import { simCarrier } from "../carriers/sim.ts";
import type { Config } from "../config/settings.ts";
import { messageId, objectName } from "../crypto/ids.ts";
import { logProblem } from "../log.ts";
import type { ClaimedJob, News, Operation, Outcome } from "../model/message.ts";
import type { AccountRef, MessagePlace } from "../model/ref.ts";
import { placeOf } from "../objects.ts";
import type { Awaited, Caught, Waited } from "./types.ts";

// The test inbox holds the messages that the simulator took. Locally one inbox has all of them; a deployed service has
// one per account, for messages that were sent with test keys, and none for live messages.

/** The name of the local inbox. */
export const LOCAL_INBOX = "local";

/** Delay before an interrupted wait is repeated. */
const AGAIN_MS = 100;

/** The inbox for an account's messages, or null when they go to none. */
export function inboxName(config: Config, ref: AccountRef): string | null {
  if (config.ENVIRONMENT === "local") return LOCAL_INBOX;
  return ref.mode === "test" ? objectName(ref) : null;
}

/** The inbox that the console shows: locally the one with all messages, elsewhere the account's test inbox. */
export function pageInbox(config: Config, accountId: () => string): string {
  return config.ENVIRONMENT === "local" ? LOCAL_INBOX : objectName({ accountId: accountId(), mode: "test" });
}

/** The Durable Object of an inbox. */
export function inboxNamed(env: Env, name: string) {
  return env.INBOX.getByName(name, placeOf(env));
}

/** One attempt to submit a message, as the queue consumer records it. */
export interface Attempt {
  job: ClaimedJob;
  to: string;
  /** The message's public id; null where there was no message to submit. */
  ref: string | null;
  /** The carrier to which it was submitted. */
  carrier: string;
  news: Extract<News, { kind: "outcome" }>;
}

/** The outcome of a message that could not be put into its inbox, which is a part of this service: it was not delivered. */
const UNREACHED: Outcome = { kind: "not_sent", code: "inbox_unavailable" };

const isCaught = ({ carrier, news }: Attempt) => carrier === simCarrier.name && news.outcome.kind === "submitted";

/**
 * Puts the messages that the simulator took into the inbox before any is reported, so that every submitted message is
 * in it. When the inbox cannot be reached, they are reported as not sent, and tried again. Returns the reports.
 */
export async function land(env: Env, config: Config, ref: AccountRef, attempts: readonly Attempt[]): Promise<News[]> {
  const name = inboxName(config, ref);
  const caught = name === null ? [] : attempts.filter(isCaught);
  const news = attempts.map((attempt) => attempt.news);
  if (name === null || caught.length === 0) return news;
  const account = objectName(ref);
  const byJob = [...Map.groupBy(caught, ({ job }) => job)].map(([job, of]): Caught => {
    const { requestId, operation, content, text } = job;
    const messages = of.flatMap(({ ref: id, to }) => (id === null ? [] : [{ ref: id, to }]));
    return { account, requestId, operation, content, text, messages };
  });
  try {
    await inboxNamed(env, name).put(byJob);
    return news;
  } catch (problem) {
    logProblem("test inbox", problem);
    return attempts.map((attempt) => (isCaught(attempt) ? { ...attempt.news, outcome: UNREACHED } : attempt.news));
  }
}

/**
 * Whether the simulator certainly did not take a message: the message belongs in an inbox and is not in it. An
 * interrupted attempt is then known to have failed.
 */
export async function isMissingFromInbox(
  env: Env,
  config: Config,
  ref: AccountRef,
  { operation, carrier, ...place }: MessagePlace & { operation: Operation; carrier: string },
): Promise<boolean> {
  const name = carrier === simCarrier.name ? inboxName(config, ref) : null;
  if (name === null) return false;
  return (
    (await inboxNamed(env, name).find(objectName(ref), messageId(config.KEY_SECRET, ref, operation, place))) === null
  );
}

/** Waits for a message until the timeout, even if the object is evicted meanwhile. */
export async function waitFor(env: Env, name: string, asked: Awaited, timeoutMs: number): Promise<Waited> {
  const endsAt = Date.now() + timeoutMs;
  for (;;) {
    const leftMs = Math.max(0, endsAt - Date.now());
    try {
      return await inboxNamed(env, name).wait(asked, leftMs);
    } catch (problem) {
      if (leftMs <= 0) throw problem;
      await scheduler.wait(Math.min(AGAIN_MS, leftMs));
    }
  }
}
