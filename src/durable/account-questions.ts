import type { AccountView } from "../model/account.ts";
import type * as command from "../model/command.ts";
import { OwnRequests } from "./account/own-requests.ts";
import { preflight } from "./account/quotes/judge.ts";
import type * as detail from "../model/message-detail.ts";
import type { MessagePlace } from "../model/ref.ts";
import type { RefusedDoor } from "../model/requests/refused.ts";
import { accountView, setBalanceLow } from "./account/profile.ts";
import { RefusedRequests } from "./account/questions/refused.ts";
import { requestPage } from "./account/questions/request-page.ts";
import { listScheduled } from "./account/schedule/list.ts";
import { takeBackAsked } from "./account/schedule/take-back.ts";
import { send } from "./account/send.ts";
import { AccountRecordings } from "./account-recordings.ts";

/** The part of an account object that serves the account's own API (contract §13): what became of what was sent. */
export abstract class AccountQuestions extends AccountRecordings {
  readonly #refused = new RefusedRequests();

  /** Admits requests to the account's own API. */
  protected readonly own = new OwnRequests();

  /**
   * What a send would cost, and every reason for which it would be refused; with a key, a request to the own API that is
   * admitted first. Writes nothing.
   */
  preflight(asked: command.PreflightAsked): command.Preflighted | command.Refusal | null {
    return this.store.change((turn) => {
      const { sql, nowMs } = turn;
      const door = asked.key && this.own.admit(sql, asked.key, { writes: false, nowMs });
      return door?.ok === false ? door : preflight(turn, asked);
    });
  }

  /** `send` for a request with a quote. A method of its own, because the version before would charge another price. */
  sendQuoted(asked: command.SendCommand): command.DoneOrRefusal | null {
    return this.store.change((turn) => send(turn, asked));
  }

  /** A request with the count of its states and a page of its messages; null also where the account has no such request. */
  requestPage(
    requestId: string,
    near: detail.NearRequest,
    after: MessagePlace | null,
    limit: number,
  ): detail.RequestPage | null {
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

  /**
   * `send` for a request with a time. A method of its own, because the version before would leave the time out and send at
   * once.
   */
  sendLater(asked: command.SendCommand): command.DoneOrRefusal | null {
    return this.store.change((turn) => send(turn, asked));
  }

  /** Takes a message or a request back, as far as it waits; null also where the account has none or does not find it. */
  takeBack(asked: detail.TakeBackAsked): detail.TakenBack | "too_late" | null {
    return this.store.change((turn) => takeBackAsked(turn, asked));
  }

  /** What is scheduled, next first, after a place. (The platform gives no access to a method `scheduled`.) */
  schedule(after: detail.ScheduledPlace | null, limit: number): detail.ScheduledRequest[] | null {
    return this.store.read((sql) => listScheduled(sql, after, limit, Date.now()));
  }
}
