import type { Context } from "hono";
import { messageId, objectName } from "../crypto/ids.ts";
import { seal, unseal } from "../crypto/seal.ts";
import { keyOf, settings, showWindow } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import { FailureError, failureOf } from "../http/errors.ts";
import { idempotencyOf } from "../http/idempotency.ts";
import type { Done, DoneOrRefusal, Price, Refusal, SendCommand } from "../model/command.ts";
import type { Content, Operation } from "../model/message.ts";
import { OPERATIONS } from "../model/operations.ts";
import { objectOf } from "../objects.ts";
import { dispatchAfterReply } from "../queues/dispatch.ts";
import { fillTemplate } from "./reply-template.ts";
import type { ReplyTemplate } from "./reply-template.ts";

// From a validated request to the account and back: the one hop that a client waits for (design §2).

/** What a customer orders, priced. */
interface Order {
  operation: Operation;
  /** E.164, each once. */
  recipients: string[];
  price: Price;
  content: Content;
  /** The text that goes out, or null for a recording. */
  text: string | null;
  notOffered?: string;
}

/** An account that was never opened refuses as an unknown key does. */
const UNKNOWN_ACCOUNT: Refusal = { ok: false, reason: "unauthorized" };

/** Ends the request with an account's refusal; null where the account was never opened. */
export function refuse(c: Context<AppEnv>, answer: Refusal | null): never {
  const refusal = answer ?? UNKNOWN_ACCOUNT;
  showWindow(c, refusal.window);
  throw new FailureError(failureOf(refusal));
}

/** The account object of the request's key. */
export function accountOf(c: Context<AppEnv>) {
  return objectOf(c.env, keyOf(c));
}

/** What the account must know of the caller; with an Idempotency-Key also the reply, sealed for a replay. */
export async function callerOf(c: Context<AppEnv>, fields: object, template: ReplyTemplate) {
  const asked = idempotencyOf(c, fields);
  const caller = { keyId: keyOf(c).keyId, requestId: c.get("requestId") };
  if (!asked) return caller;
  const sealed = await seal(settings(c).SEAL_SECRET, objectName(keyOf(c)), JSON.stringify(template));
  return { ...caller, idempotency: { ...asked, template: sealed } };
}

/** The reply of a request that was done, now or before. */
export function doneReply(
  c: Context<AppEnv>,
  template: ReplyTemplate,
  done: Pick<Done, "replayed" | "template" | "spent" | "balance" | "seq" | "window">,
  operation: Operation,
): Response {
  const config = settings(c);
  const key = keyOf(c);
  showWindow(c, done.window);
  if (done.replayed) c.header("Idempotent-Replayed", "true");
  const first = done.template
    ? (JSON.parse(unseal(config.SEAL_SECRET, objectName(key), done.template)) as ReplyTemplate)
    : template;
  return c.json(
    fillTemplate(first, {
      spent: done.spent,
      balance: done.balance,
      messageId: () => messageId(config.KEY_SECRET, key, operation, { seq: done.seq, index: 0 }),
    }),
  );
}

/** Whether the platform says that the call may be repeated; an overloaded object must not be asked again. */
function isRetryable(problem: unknown): boolean {
  const { retryable, overloaded } = problem as { retryable?: boolean; overloaded?: boolean };
  return retryable === true && overloaded !== true;
}

/** Asks the account; once more, with a fresh stub, where an Idempotency-Key makes that safe. */
async function ask(c: Context<AppEnv>, command: SendCommand): Promise<DoneOrRefusal | null> {
  try {
    return await accountOf(c).send(command);
  } catch (problem) {
    if (!command.idempotency || !isRetryable(problem)) throw problem;
    return accountOf(c).send(command);
  }
}

/** Asks the account, and dispatches the jobs that wait for a carrier. */
async function askAndDispatch(c: Context<AppEnv>, command: SendCommand): Promise<DoneOrRefusal | null> {
  const result = await ask(c, command);
  if (!result?.ok || result.jobs === 0) return result;
  const seqs = Array.from({ length: result.jobs }, (_, nth) => result.seq + nth);
  dispatchAfterReply(c.env, c.executionCtx, objectName(keyOf(c)), seqs, command.recipients.length);
  return result;
}

/** Hands an order to the account and answers with the template, filled. `fields` is what makes it the same request. */
export async function bill(
  c: Context<AppEnv>,
  fields: object,
  order: Order,
  template: ReplyTemplate,
): Promise<Response> {
  const sealed = order.text === null ? null : await seal(settings(c).SEAL_SECRET, objectName(keyOf(c)), order.text);
  const caller = await callerOf(c, fields, template);
  const validityMs = settings(c)[OPERATIONS[order.operation].validity];
  const done = askAndDispatch(c, { ...order, ...caller, text: sealed, validityMs });
  // When the client leaves now, the platform ends what `waitUntil` does not hold, and the message waits for the alarm.
  c.executionCtx.waitUntil(done.catch(() => undefined));
  const result = await done;
  return result?.ok ? doneReply(c, template, result, order.operation) : refuse(c, result);
}
