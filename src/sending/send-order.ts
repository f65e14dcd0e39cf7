import type { Context } from "hono";
import type { Config } from "../config/settings.ts";
import { messageId, objectName } from "../crypto/ids.ts";
import { seal, unseal } from "../crypto/seal.ts";
import { FIRST_ID } from "../crypto/secrets.ts";
import { keyOf, settings, showWindow } from "../http/app.ts";
import type { AppEnv } from "../http/app.ts";
import { FailureError, failureOf } from "../http/errors.ts";
import { idempotencyOf } from "../http/idempotency.ts";
import { tell } from "../http/told.ts";
import type { Done, DoneOrRefusal, Refusal, SendCommand } from "../model/command.ts";
import type { Operation } from "../model/message.ts";
import { OPERATIONS, isCall } from "../model/operations.ts";
import type { MessagePlace, Mode } from "../model/ref.ts";
import { objectOf } from "../objects.ts";
import { directTake, dispatchAfterReply } from "../queues/direct.ts";
import { countSegments } from "../text/segments.ts";
import type { Order } from "./ordering.ts";
import { currentNumberRules } from "./number-rules.ts";
import { quoteIn } from "./quote.ts";
import { screenOf } from "./screen.ts";
import { fillTemplate } from "./reply-template.ts";
import type { ReplyTemplate } from "./reply-template.ts";
import type { Reply } from "./replies.ts";

// From a validated request to the account and back: the only hop that the client waits for.

/** An account that was never opened is refused like an unknown key. */
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

/** What the account must know about the caller; with an Idempotency-Key also the reply, sealed for replays. */
export async function callerOf(c: Context<AppEnv>, fields: object, template: ReplyTemplate) {
  const asked = idempotencyOf(c, fields);
  const { keyId, secretId } = keyOf(c);
  const caller = { keyId, secretId, requestId: c.get("requestId") };
  if (!asked) return caller;
  const sealed = await seal(settings(c).SEAL_SECRET, objectName(keyOf(c)), JSON.stringify(template));
  return { ...caller, idempotency: { ...asked, template: sealed } };
}

/** A request that succeeded, now or earlier. */
export interface Placed {
  /** Its reply: the same on a replay. */
  reply: Record<string, unknown>;
  /** The first of its messages; null for a request that sends none. */
  messageId: string | null;
  /** Where the account has it. */
  place: MessagePlace;
}

/**
 * The reply to a request that succeeded, now or earlier, with the headers that belong to it. `operation` is that of its
 * messages, the first of which `X-Message-Id` names (contract §13); null for a request that sends none.
 */
export function placed(
  c: Context<AppEnv>,
  template: ReplyTemplate,
  done: Pick<Done, "replayed" | "template" | "spent" | "balance" | "seq" | "idSecret" | "dltWarning" | "window">,
  operation: Operation | null,
): Placed {
  const config = settings(c);
  const key = keyOf(c);
  const place = { seq: done.seq, index: 0, secretId: done.idSecret ?? FIRST_ID };
  const id = operation && messageId(config.KEY_SECRET, key, operation, place);
  showWindow(c, done.window);
  if (id !== null) c.header("X-Message-Id", id);
  if (done.dltWarning !== undefined) c.header("X-Dlt-Warning", done.dltWarning);
  if (done.replayed) c.header("Idempotent-Replayed", "true");
  const first = done.template
    ? (JSON.parse(unseal(config.SEAL_SECRET, objectName(key), done.template)) as ReplyTemplate)
    : template;
  const reply = fillTemplate(first, {
    spent: done.spent,
    balance: done.balance,
    messageId: () => {
      if (id === null) throw new Error("the reply of a request without messages names one");
      return id;
    },
  });
  return { reply, messageId: id, place };
}

/** Whether the platform allows the call to be repeated; an overloaded object must not be called again. */
export function isRetryable(problem: unknown): boolean {
  const { retryable, overloaded } = problem as { retryable?: boolean; overloaded?: boolean };
  return retryable === true && overloaded !== true;
}

/** Sends the command to the account; once more, with a fresh stub, if an Idempotency-Key makes that safe. */
async function ask(c: Context<AppEnv>, command: SendCommand): Promise<DoneOrRefusal | null> {
  const once = () => {
    if (command.quote) return accountOf(c).sendQuoted(command);
    return command.sendAtMs === undefined ? accountOf(c).send(command) : accountOf(c).sendLater(command);
  };
  try {
    return await once();
  } catch (problem) {
    if (!command.idempotency || !isRetryable(problem)) throw problem;
    return once();
  }
}

/** Sends the command to the account, and dispatches the messages that wait for a carrier. */
async function askAndDispatch(c: Context<AppEnv>, command: SendCommand): Promise<DoneOrRefusal | null> {
  const take = command.sendAtMs === undefined ? await directTake(c.env, c.executionCtx, keyOf(c), command) : undefined;
  const asked = take ? { ...command, take } : command;
  const result = await ask(c, asked);
  if (result?.ok) dispatchAfterReply(c.env, c.executionCtx, objectName(keyOf(c)), asked, result);
  return result;
}

/** The recipients of a day, which are limited for test keys. */
export function dailyOf(config: Config, mode: Mode, recipients: number): Pick<SendCommand, "daily"> {
  return mode === "test" ? { daily: { recipients, max: config.TEST_RECIPIENTS_PER_DAY } } : {};
}

/** The segments of an SMS, which the account stores because it cannot read the text. */
function segmentsOf({ operation, text }: Pick<Order, "operation" | "text">): Pick<SendCommand, "segments"> {
  return text === null || isCall(operation) ? {} : { segments: countSegments(text).segments };
}

/** Sends an order to the account, and fills its reply's template. `fields` is what the fingerprint covers. */
export async function placeOrder(
  c: Context<AppEnv>,
  fields: object,
  asked: Order,
  { said, template }: Reply,
): Promise<Placed> {
  const { kind: _, unpriced: _unpriced, numberField: _field, ...order } = asked;
  const quote = quoteIn(c, asked);
  const sealed = order.text === null ? null : await seal(settings(c).SEAL_SECRET, objectName(keyOf(c)), order.text);
  const caller = await callerOf(c, fields, template);
  const validityMs = Math.min(order.validityMs ?? Infinity, settings(c)[OPERATIONS[order.operation].validity]);
  const { mode } = keyOf(c);
  const daily = dailyOf(settings(c), mode, order.recipients.length);
  const idSecret = settings(c).KEY_SECRET.current.id;
  const screen = screenOf(asked, await currentNumberRules(c.env, c.executionCtx));
  const done = askAndDispatch(c, {
    ...order,
    ...caller,
    ...daily,
    ...segmentsOf(order),
    ...quote,
    text: sealed,
    validityMs,
    idSecret,
    screen,
  });
  // If the client leaves now, the platform ends all work outside `waitUntil`, and the message would wait for the alarm.
  c.executionCtx.waitUntil(done.catch(() => undefined));
  const result = await done;
  if (result?.ok) tell(c.req.raw, { said });
  return result?.ok ? placed(c, template, result, order.operation) : refuse(c, result);
}

/** Sends an order to the account and answers with the reply. `fields` is what the fingerprint covers. */
export async function sendOrder(c: Context<AppEnv>, fields: object, asked: Order, reply: Reply): Promise<Response> {
  return c.json((await placeOrder(c, fields, asked, reply)).reply);
}
