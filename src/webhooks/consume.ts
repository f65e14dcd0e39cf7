import * as z from "zod";
import { logProblem } from "../log.ts";
import { deliverCallbacks } from "./callbacks.ts";
import { deliverWebhooks } from "./deliver.ts";
import { callbacksJob, webhooksJob } from "./queue.ts";

/** Consumes a batch of the webhooks queue: each account once. Never fails, because the accounts know what is left. */
export async function consumeWebhooks(batch: MessageBatch, env: Env): Promise<void> {
  const accounts = new Set<string>();
  const calledBack = new Set<string>();
  for (const { body } of batch.messages) {
    const job = z.union([webhooksJob, callbacksJob]).safeParse(body);
    if (!job.success) logProblem("webhooks queue", new Error("a message that is no job was dropped"));
    else if ("webhooks" in job.data) accounts.add(job.data.webhooks);
    else calledBack.add(job.data.callbacks);
  }
  await Promise.all([
    ...[...accounts].map((account) => deliverWebhooks(env, account)),
    ...[...calledBack].map((account) => deliverCallbacks(env, account)),
  ]);
  batch.ackAll();
}
