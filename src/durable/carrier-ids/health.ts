import { logProblem } from "../../log.ts";
import type { Results } from "../../model/carrier/health.ts";
import { placeOf } from "../../objects.ts";
import type { Item } from "./outbox.ts";

/** Tells a carrier's pacing object of final receipts, for its health; one that is lost is missing in a count. Never throws. */
export function tellHealth(env: Env, carrier: string, items: readonly Item[]): void {
  const results: Partial<Results> = {};
  for (const item of items) {
    if (item.kind === "told" && item.state !== "submitted") results[item.state] = (results[item.state] ?? 0) + 1;
  }
  if (Object.keys(results).length === 0) return;
  const seen = { taken: 0, busy: 0, lately: [{ agoMs: 0, results, submitMs: [], deliveryMs: [] }] };
  const telling: Promise<unknown> = env.PACE.getByName(carrier, placeOf(env)).tell(seen);
  telling.catch((problem: unknown) => logProblem("pace of receipts", problem));
}
