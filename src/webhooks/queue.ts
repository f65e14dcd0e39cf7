import * as z from "zod";
import { logProblem } from "../log.ts";

// The queue of webhooks: a message says that an account has something to deliver, and nothing else. The account says what,
// so messages may be lost, doubled and late. It is a queue of its own, because a receiver may take 15 s to answer: in a
// lane's queue, or in history's, messages of others would wait behind it.

/** The body of a message of this queue. */
export const webhooksJob = z.object({ webhooks: z.string().min(1) });
export type WebhooksJob = z.infer<typeof webhooksJob>;

/** A message that names an account which has something for messages' own addresses (Twilio's form). */
export const callbacksJob = z.object({ callbacks: z.string().min(1) });
export type CallbacksJob = z.infer<typeof callbacksJob>;

/** Has the account's status callbacks delivered by a consumer. Never throws: the account's alarm names them again. */
export async function enqueueCallbacks(env: Pick<Env, "WEBHOOKS">, account: string): Promise<void> {
  const job: CallbacksJob = { callbacks: account };
  await env.WEBHOOKS.send(job).catch((problem: unknown) => logProblem("webhooks queue", problem));
}

/** Has the account's webhooks delivered by a consumer. Never throws: the account's alarm names them again. */
export async function enqueueWebhooks(env: Pick<Env, "WEBHOOKS">, account: string): Promise<void> {
  const job: WebhooksJob = { webhooks: account };
  await env.WEBHOOKS.send(job).catch((problem: unknown) => logProblem("webhooks queue", problem));
}
