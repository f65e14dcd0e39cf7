import type { ClosingView, Hindrance } from "../model/leaving.ts";
import { bothOf } from "../objects.ts";
import { hasOpenOrders } from "../payments/orders.ts";

/** What is in the way of an account's erasure, of which up to `givenUpMax` units were given up; null for nothing. */
export async function hindranceOf(
  env: Env,
  accountId: string,
  givenUpMax: number,
  nowMs: number,
): Promise<Hindrance | null> {
  const view: ClosingView | null = await bothOf(env, accountId).live.closing();
  if (view?.hasOpen) return "open_messages";
  if (view && view.owed > 0) return "debt";
  if (await hasOpenOrders(env, accountId, nowMs)) return "open_orders";
  return view && view.balance > givenUpMax ? "balance" : null;
}
