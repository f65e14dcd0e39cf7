import type { OwnDoor } from "../../model/command.ts";
import { isActive } from "./keys.ts";
import type { GivenKey } from "./keys.ts";
import { readAccount } from "./profile.ts";
import { admit, stillCounting } from "./window.ts";

// The account's own API (contract §13): it costs nothing and counts in no plan's limit, but in this one.

/** Requests per minute. */
export const OWN_REQUESTS_MAX = 600;

/**
 * The window of the own API's requests. It is in memory only, because a row for each would cost more than the request:
 * after an eviction, which comes when an account is at rest, it begins anew.
 */
export class OwnRequests {
  #times: number[] = [];

  /** Admits a request, or refuses it. A suspended account may read and not write. */
  admit(sql: SqlStorage, key: GivenKey, { writes, nowMs }: { writes: boolean; nowMs: number }): OwnDoor {
    if (!isActive(sql, key, nowMs)) return { ok: false, reason: "unauthorized" };
    this.#times = stillCounting(this.#times, nowMs);
    const { admitted, retryAfterSec } = admit(this.#times, OWN_REQUESTS_MAX, nowMs);
    if (!admitted) return { ok: false, reason: "rate_limited", limit: OWN_REQUESTS_MAX, retryAfterSec };
    this.#times.push(nowMs);
    const { status, historyDb } = readAccount(sql);
    return writes && status === "suspended" ? { ok: false, reason: "account_suspended" } : { ok: true, historyDb };
  }
}
