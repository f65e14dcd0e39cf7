import type { Carrier } from "../carriers/carrier.ts";
import { logProblem } from "../log.ts";
import type { Lane } from "../model/lane.ts";
import type { News } from "../model/message.ts";
import { enqueueReport } from "./enqueue.ts";

// Reports to an account. What is known is not given up: an account that cannot take it gets it later, from a queue.

/** The waits before further tries, in ms. */
const WAITS_MS = [50, 200, 800];

/** The first delay of reports in a queue. */
const QUEUE_DELAY_SEC = 2;

/** To whom a report goes, and what the account must know about the carrier. */
export interface Addressee {
  account: string;
  lane: Lane;
  /** Whether the carrier can look messages up. */
  follow: boolean;
  /** Whether it recognises references. */
  resubmits: boolean;
}

/** Where reports on a carrier's messages go. */
export function addresseeOf(account: string, lane: Lane, carrier: Carrier): Addressee {
  return { account, lane, follow: carrier.lookup !== undefined, resubmits: carrier.resubmits };
}

/** Whether the platform asks that the object is not called again now. */
const isOverloaded = (problem: unknown): boolean => (problem as { overloaded?: boolean } | null)?.overloaded === true;

/** Reports to the account; false after the last try, or at once where the account is overloaded. */
async function told(env: Env, { account, follow, resubmits }: Addressee, news: News[]): Promise<boolean> {
  for (const waitMs of [...WAITS_MS, null]) {
    try {
      // A stub is broken after a failure, so each try has its own.
      await env.ACCOUNT.getByName(account).report(news, follow, resubmits);
      return true;
    } catch (problem) {
      if (waitMs === null || isOverloaded(problem)) {
        logProblem("report", problem);
        return false;
      }
      await scheduler.wait(waitMs);
    }
  }
  return false;
}

/** Reports to the account, or, where that fails, hands the reports to the lane's queue. Never throws. */
export async function report(env: Env, to: Addressee, news: News[]): Promise<void> {
  if (news.length === 0 || (await told(env, to, news))) return;
  await enqueueReport(env, { ...to, news }, QUEUE_DELAY_SEC).catch((problem: unknown) =>
    logProblem("reports are lost", problem),
  );
}
