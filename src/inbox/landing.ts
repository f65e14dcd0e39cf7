import { simCarrier } from "../carriers/sim.ts";
import type { Config } from "../config.ts";
import { messageId, objectName } from "../crypto/ids.ts";
import { logProblem } from "../log.ts";
import type { ClaimedJob, News, Operation, Outcome } from "../model/message.ts";
import type { AccountRef, MessagePlace } from "../model/ref.ts";
import type { Awaited, Caught, Waited } from "./types.ts";

// The test inbox: where what the simulator took can be read. On one's own machine one inbox has everything; a
// deployed service has one per account, for what test keys send, and live messages land in none.

/** The inbox of one's own machine. */
export const LOCAL_INBOX = "local";

/** A wait that broke off is asked for again after this. */
const AGAIN_MS = 100;

/** The inbox that an account's messages land in, or null when they land in none. */
export function inboxName(config: Config, ref: AccountRef): string | null {
  if (config.ENVIRONMENT === "local") return LOCAL_INBOX;
  return ref.mode === "test" ? objectName(ref) : null;
}

/** The inbox that the console's page shows: on one's own machine everything, elsewhere an account's test messages. */
export function pageInbox(config: Config, accountId: () => string): string {
  return config.ENVIRONMENT === "local" ? LOCAL_INBOX : objectName({ accountId: accountId(), mode: "test" });
}

/** The object of an inbox. */
export function inboxNamed(env: Env, name: string) {
  return env.INBOX.getByName(name);
}

/** One attempt at a message, as the consumer knows it. */
export interface Attempt {
  job: ClaimedJob;
  to: string;
  /** The message's public id; null where there was no message to hand over. */
  ref: string | null;
  /** Whom it was handed to. */
  carrier: string;
  news: Extract<News, { kind: "outcome" }>;
}

/** A message that could not be put into its inbox: nobody got it. */
const UNREACHED: Outcome = { kind: "not_accepted", code: "inbox_unavailable" };

const isCaught = ({ carrier, news }: Attempt) => carrier === simCarrier.name && news.outcome.kind === "submitted";

/**
 * Puts what the simulator took into the inbox, before any of it is reported: what counts as submitted stands there.
 * Where the inbox cannot be reached nothing was delivered, and these messages are tried again. Returns the news.
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
 * Whether the simulator certainly has not taken a message: it belongs in an inbox, and is not there. So an attempt that
 * broke off on its way is known to have failed.
 */
export async function neverLanded(
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

/** Waits for a message until the time is over, also when the object is evicted meanwhile. */
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
