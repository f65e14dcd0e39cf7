import type { AccountView } from "../model/account.ts";
import type { NearRequest, RequestPage } from "../model/message-detail.ts";
import type { MessagePlace } from "../model/ref.ts";
import type { RefusedDoor } from "../model/refused.ts";
import { accountView, setBalanceLow } from "./account/profile.ts";
import { RefusedRequests } from "./account/questions/refused.ts";
import { requestPage } from "./account/questions/request-page.ts";
import { AccountRecordings } from "./account-recordings.ts";

/** The part of an account object that serves the account's own API (contract §13): what became of what was sent. */
export abstract class AccountQuestions extends AccountRecordings {
  readonly #refused = new RefusedRequests();

  /** A request with the count of its states and a page of its messages; null also where the account has no such request. */
  requestPage(requestId: string, near: NearRequest, after: MessagePlace | null, limit: number): RequestPage | null {
    return this.store.read((sql) => requestPage(sql, requestId, near, after, limit));
  }

  /** Admits some refused requests of a key into the request log; null where the key is not active. Nothing is stored. */
  admitRefused(keyId: number, secretId: number, count: number): RefusedDoor | null {
    return this.store.read((sql) => this.#refused.admit(sql, { keyId, secretId }, count, Date.now()));
  }

  /** Sets the balance below which `balance.low` is reported, in units; null: never. */
  setBalanceLow(units: number | null): AccountView | null {
    return this.store.change((turn) => {
      setBalanceLow(turn, units);
      return accountView(turn.sql);
    });
  }
}
