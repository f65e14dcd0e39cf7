import { REFUSED_PER_DAY, REFUSED_PER_MINUTE } from "../../../model/requests/refused.ts";
import type { RefusedDoor } from "../../../model/requests/refused.ts";
import { isActive } from "../keys.ts";
import type { GivenKey } from "../keys.ts";
import { readAccount } from "../profile.ts";
import { stillCounting } from "../window.ts";

const DAY_MS = 86_400_000;

/**
 * How many refused requests the account still takes into its log. The counts are in memory only: while requests are
 * refused fast enough to matter, the object stays in memory.
 */
export class RefusedRequests {
  #times: number[] = [];
  #day = 0;
  #inDay = 0;

  /** Admits up to `count` of one key's requests; null where the key is not active, so that none of them is noted. */
  admit(sql: SqlStorage, key: GivenKey, count: number, nowMs: number): RefusedDoor | null {
    if (!isActive(sql, key, nowMs)) return null;
    const day = Math.floor(nowMs / DAY_MS);
    if (day !== this.#day) [this.#day, this.#inDay] = [day, 0];
    this.#times = stillCounting(this.#times, nowMs);
    const room = Math.min(REFUSED_PER_MINUTE - this.#times.length, REFUSED_PER_DAY - this.#inDay);
    const admitted = Math.max(0, Math.min(count, room));
    for (let at = 0; at < admitted; at += 1) this.#times.push(nowMs);
    this.#inDay += admitted;
    return { admitted, historyDb: readAccount(sql).historyDb };
  }
}
