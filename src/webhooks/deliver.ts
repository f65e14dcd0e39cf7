import { configOf } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import { accountOfName } from "../crypto/ids.ts";
import { webhookSecret } from "../crypto/webhook-secret.ts";
import { logProblem } from "../log.ts";
import type { Claim, Endpoint, Post, Posted } from "../model/webhook.ts";
import { messageOf } from "./body.ts";
import { goesOn } from "./policy.ts";
import { post } from "./post.ts";
import type { Answer } from "./post.ts";
import { enqueueWebhooks } from "./queue.ts";

// Delivery by a Worker, never from inside the account's object, which a slow receiver would keep busy and awake: claim →
// posts in order → one call that reports them and gets the next claim.

type Waits = Pick<ExecutionContext, "waitUntil">;

/** How long events gather before an invocation that reported some claims them, in ms. */
const GATHER_MS = 300;

/** After so long, in ms, no further post is begun: the invocation ends 30 s after its reply, and the queue goes on. */
const RUN_MS = 10_000;

/** Connections of one invocation (Cloudflare). */
const CONNECTIONS_MAX = 6;

/** The waits before a report is tried again, in ms. */
const WAITS_MS = [50, 200, 800];

/** The secrets that sign for an endpoint now; empty where the present one cannot be made any more. */
export function secretsFor(config: Config, account: string, endpoint: Endpoint, nowMs: number): string[] {
  const { id, old } = endpoint;
  const ref = accountOfName(account);
  const present = webhookSecret(config.KEY_SECRET, ref, id, endpoint);
  if (present === null) return [];
  const before = old && old.until > nowMs ? webhookSecret(config.KEY_SECRET, ref, id, old) : null;
  return before === null ? [present] : [present, before];
}

/** What a post came to, as the account applies it. */
function postedOf({ kind, events, through }: Post, { retryAfterMs, ...attempt }: Answer): Posted {
  const first = events[0]?.seq ?? 0;
  const last = events.at(-1)?.seq ?? first;
  const shown = { seq: first, ...(last > first && { last }), ...attempt };
  const seqs = last > first ? { seqs: events.map(({ seq }) => seq) } : {};
  return { kind, first, last, ...seqs, through, attempt: shown, retryAfterMs };
}

/** Posts what was claimed in its order, until an answer says stop or the time is over. */
async function postAll(config: Config, account: string, claim: Claim, isOver: () => boolean): Promise<Posted[]> {
  const { endpoint, posts } = claim;
  const ref = accountOfName(account);
  const results: Posted[] = [];
  for (const one of posts) {
    if (isOver()) break;
    // Asked for each post: the overlap of a rotation may end during a run.
    const secrets = secretsFor(config, account, endpoint, Date.now());
    const message = messageOf(config.KEY_SECRET, ref, one.events, endpoint.batch);
    results.push(postedOf(one, await post(config, endpoint.url, secrets, message)));
    if (!goesOn(endpoint, results)) break;
  }
  return results;
}

/** Reports a run, and gets the next claim; null where there is none, or the account cannot be reached. */
async function acknowledge(
  env: Env,
  account: string,
  claim: Claim,
  results: Posted[],
  again: boolean,
): Promise<Claim | null> {
  for (const waitMs of [...WAITS_MS, null]) {
    try {
      return await env.ACCOUNT.getByName(account).ackEvents(claim.endpoint.id, claim.lease, results, again);
    } catch (problem) {
      // What was posted and not reported is posted again.
      if (waitMs === null) logProblem("webhooks", problem);
      else await scheduler.wait(waitMs);
    }
  }
  return null;
}

/** Delivers what waits for one endpoint; true where the time was over before the end. */
async function deliverTo(env: Env, account: string, claimed: Claim, isOver: () => boolean): Promise<boolean> {
  const config = configOf(env);
  for (let claim: Claim | null = claimed; claim !== null;) {
    const results = await postAll(config, account, claim, isOver);
    const isEnough = isOver();
    const next: Claim | null = await acknowledge(env, account, claim, results, !isEnough);
    if (isEnough) return true;
    claim = next;
  }
  return false;
}

/** Delivers what waits for the account's endpoints, for some seconds; the queue goes on with the rest. Never throws. */
export async function deliverWebhooks(env: Env, account: string): Promise<void> {
  try {
    const beganMs = Date.now();
    const isOver = () => Math.abs(Date.now() - beganMs) >= RUN_MS;
    const claims: Claim[] = (await env.ACCOUNT.getByName(account).claimEvents()) ?? [];
    const left = [...claims];
    let isLeft = false;
    // Each endpoint has one connection at a time, so that its events stay in their order.
    const worker = async () => {
      for (let claim = left.shift(); claim; claim = left.shift()) {
        isLeft = (await deliverTo(env, account, claim, isOver)) || isLeft;
      }
    };
    await Promise.all(Array.from({ length: Math.min(CONNECTIONS_MAX, claims.length) }, worker));
    if (isLeft) await enqueueWebhooks(env, account);
  } catch (problem) {
    logProblem("webhooks", problem);
  }
}

/**
 * Delivers after a call to the account that said there is something to deliver. The reply does not wait for it; what is
 * lost here, the account names to the queue.
 */
export function deliverSoon(env: Env, ctx: Waits, account: string): void {
  ctx.waitUntil(scheduler.wait(GATHER_MS).then(() => deliverWebhooks(env, account)));
}
