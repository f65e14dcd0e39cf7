import { operator } from "./books.ts";
import type { Log } from "./log.ts";
import { between, randomOf } from "./random.ts";

// Small credits to poor accounts, given regularly, once per reference although each request is repeated.

/** Interval of small credits to poor accounts. */
const ALMS_EVERY_MS = 3_000;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export interface Alms {
  seed: string;
  log: Log;
  /** The ids of the poor accounts. */
  ids: string[];
  isOver: () => boolean;
  isClosed: () => boolean;
}

/** Credits the accounts until the run is over. */
export async function giveAlms({ seed, log, ids, isOver, isClosed }: Alms): Promise<void> {
  const random = randomOf(seed, "alms");
  for (let round = 1; !isOver(); round++) {
    await pause(ALMS_EVERY_MS);
    for (const id of ids) {
      const [amount, reference] = [between(random, 1, 6), `alms-${round}`];
      log.append({ t: "credit", account: id, amount, reference });
      for (let left = 1 + Math.floor(random() * 2); left > 0 && !isClosed();) {
        const reply = await operator("POST", `/accounts/${id}/credits`, { amount, reference }).catch(() => null);
        if (reply?.status === 200) left -= 1;
        else await pause(300);
        log.append({ t: "credited", account: id, reference, status: reply?.status ?? null });
      }
    }
  }
}
