import { configOf } from "../../config/config.ts";
import { objectName, readMessageId } from "../../crypto/ids.ts";
import type { News } from "../../model/message.ts";
import { report } from "../../queues/report.ts";
import type { Told } from "./ledger.ts";

/** Tells accounts what a carrier says of their messages; a reference that is none of this deployment is passed over. Never throws. */
export async function tellAccounts(env: Env, carrier: string, all: readonly Told[]): Promise<void> {
  const byAccount = new Map<string, News[]>();
  for (const { ref, state, code } of all) {
    const place = readMessageId(configOf(env).KEY_SECRET, ref);
    if (!place) continue;
    const { seq, index } = place;
    const news = byAccount.get(objectName(place)) ?? [];
    news.push({ kind: "receipt", seq, index, state, carrier, ...(code !== null && { code }) });
    byAccount.set(objectName(place), news);
  }
  const to = { lane: "single", follow: false, resubmits: false } as const;
  await Promise.all([...byAccount].map(([account, news]) => report(env, { account, ...to }, news)));
}
