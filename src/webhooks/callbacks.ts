import { createHmac } from "node:crypto";
import { configOf } from "../config/config.ts";
import type { Config } from "../config/settings.ts";
import { showKey } from "../crypto/api-key.ts";
import { accountOfName, messageSid } from "../crypto/ids.ts";
import { secretsOf } from "../crypto/secrets.ts";
import { logProblem } from "../log.ts";
import type { Callback, CallbackClaim, CallbackResult, ToldState } from "../model/twilio/callback.ts";
import { TWILIO_VERSION, twilioErrorCode, twilioStatus } from "../model/twilio/words.ts";
import { verdictOn } from "./policy.ts";
import { postBody } from "./post.ts";
import type { Answer } from "./post.ts";
import { enqueueCallbacks } from "./queue.ts";

// Status callbacks as Twilio posts and signs them (contract §15), by a Worker, as webhooks are (deliver.ts): claim → posts
// → one call that reports them and gets the host's next claim.

/** After so long, in ms, no further post is begun; the queue goes on with the rest. */
const RUN_MS = 10_000;

/** Hosts that are posted to at once, and posts to one of them at once: six connections are all of an invocation. */
const HOSTS_MAX = 3;
const PER_HOST_MAX = 2;

/** The fields of one callback, as they are posted. */
function fieldsOf(account: string, { seq, secretId, to, terms }: Callback, { state, why }: ToldState) {
  const sid = messageSid(accountOfName(account), { seq, index: 0, secretId });
  const status = twilioStatus({ state, refunded: false });
  const code = twilioErrorCode(status, why);
  return {
    AccountSid: terms.account,
    ApiVersion: TWILIO_VERSION,
    MessageSid: sid,
    MessageStatus: status,
    SmsSid: sid,
    SmsStatus: status,
    To: to,
    ...(terms.from !== undefined && { From: terms.from }),
    ...(terms.service !== undefined && { MessagingServiceSid: terms.service }),
    ...(code !== null && { ErrorCode: String(code) }),
  };
}

/** Twilio's signature: over the address and the fields, sorted by name, with the key in place of its auth token. */
export function callbackSignature(key: string, url: string, fields: Readonly<Record<string, string>>): string {
  const sorted = Object.entries(fields).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const text = url + sorted.map(([name, value]) => name + value).join("");
  return createHmac("sha1", key).update(text, "utf8").digest("base64");
}

/** Posts one state of a message once. */
function postState(config: Config, account: string, callback: Callback, told: ToldState): Promise<Answer> {
  const url = callback.terms.callback;
  const fields = fieldsOf(account, callback, told);
  const key = showKey(config.KEY_SECRET, { ...accountOfName(account), ...callback.key });
  return postBody(config, url, new URLSearchParams(fields).toString(), () => ({
    "content-type": "application/x-www-form-urlencoded; charset=utf-8",
    "x-twilio-signature": callbackSignature(key, url, fields),
    // The same for each attempt at this state.
    "i-twilio-idempotency-token": `${fields.MessageSid}-${fields.MessageStatus}`,
  }));
}

/** Posts the states of one message in order, until one is to be tried again. */
async function postMessage(
  config: Config,
  account: string,
  callback: Callback,
  isOver: () => boolean,
): Promise<CallbackResult> {
  const { seq, from, told } = callback;
  // The secret that made the key is not listed any more: nothing could be signed as the receiver expects.
  const isUnsigned = !secretsOf(config.KEY_SECRET).withId(callback.key.secretId);
  if (isUnsigned) return { seq, from, settled: told.length, failed: null };
  let settled = 0;
  for (const one of told) {
    if (isOver()) break;
    const { status, retryAfterMs } = await postState(config, account, callback, one);
    if (verdictOn(status) === "wait") return { seq, from, settled, failed: { silent: status === null, retryAfterMs } };
    settled += 1;
  }
  return { seq, from, settled, failed: null };
}

/** Posts what was claimed for a host: one message first, and the others only if that was answered. */
async function postClaim(config: Config, account: string, { callbacks }: CallbackClaim, isOver: () => boolean) {
  const results: CallbackResult[] = [];
  const left = [...callbacks];
  const isSilent = () => results.some(({ failed }) => failed?.silent === true);
  const take = async () => {
    const next = left.shift();
    if (next) results.push(await postMessage(config, account, next, isOver));
  };
  const worker = async () => {
    while (left.length > 0 && !isOver() && !isSilent()) await take();
  };
  await take();
  await Promise.all(Array.from({ length: PER_HOST_MAX }, worker));
  return results;
}

/**
 * Delivers what is due to one host; true where the time was over before the end. Never throws: a claim that could not be
 * reported ends with its lease, and holds up no other host.
 */
async function deliverTo(env: Env, account: string, first: CallbackClaim, isOver: () => boolean): Promise<boolean> {
  try {
    for (let claim: CallbackClaim | null = first; claim !== null;) {
      const results = await postClaim(configOf(env), account, claim, isOver);
      const isEnough = isOver();
      const stub = env.ACCOUNT.getByName(account);
      claim = await stub.ackCallbacks(claim.host, claim.lease, results, !isEnough);
      if (isEnough) return true;
    }
  } catch (problem) {
    logProblem("status callbacks", problem);
  }
  return false;
}

/**
 * Delivers the account's status callbacks for some seconds; the queue goes on with the rest. Never throws: what was posted
 * and not reported is posted again.
 */
export async function deliverCallbacks(env: Env, account: string): Promise<void> {
  try {
    const beganMs = Date.now();
    const isOver = () => Math.abs(Date.now() - beganMs) >= RUN_MS;
    const left: CallbackClaim[] = (await env.ACCOUNT.getByName(account).claimCallbacks()) ?? [];
    let isLeft = false;
    const worker = async () => {
      for (let claim = left.shift(); claim; claim = left.shift()) {
        isLeft = (await deliverTo(env, account, claim, isOver)) || isLeft;
      }
    };
    await Promise.all(Array.from({ length: HOSTS_MAX }, worker));
    if (isLeft) await enqueueCallbacks(env, account);
  } catch (problem) {
    logProblem("status callbacks", problem);
  }
}
