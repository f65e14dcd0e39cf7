import { logProblem } from "../log.ts";
import { deliverWebhooks } from "./deliver.ts";
import { webhooksJob } from "./queue.ts";

/** Consumes a batch of the webhooks queue: each account once. Never fails, because the accounts know what is left. */
export async function consumeWebhooks(batch: MessageBatch, env: Env): Promise<void> {
  const accounts = new Set<string>();
  for (const { body } of batch.messages) {
    const job = webhooksJob.safeParse(body);
    if (job.success) accounts.add(job.data.webhooks);
    else logProblem("webhooks queue", new Error("a message that is no job was dropped"));
  }
  await Promise.all([...accounts].map((account) => deliverWebhooks(env, account)));
  batch.ackAll();
}
