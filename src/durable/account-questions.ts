import type { AccountView } from "../model/account.ts";
import type * as command from "../model/command.ts";
import { GroupCommit } from "./account/group-commit.ts";
import { OwnRequests } from "./account/own-requests.ts";
import { preflight } from "./account/quotes/judge.ts";
import type * as dlt from "../model/carrier/dlt.ts";
import { dltSamples, tryDlt } from "./account/dlt/try.ts";
import * as dltChanges from "./account/dlt/changes.ts";
import { readDlt } from "./account/dlt/rows.ts";
import type * as detail from "../model/message-detail.ts";
import type { MessagePlace } from "../model/ref.ts";
import type { AccountRules, RulesView } from "../model/rules/rules.ts";
import type { RefusedDoor } from "../model/requests/refused.ts";
import { messageDetail } from "./account/message-detail.ts";
import { changeRules, rulesView } from "./account/limits/rules.ts";
import { accountView, setBalanceLow } from "./account/profile.ts";
import { RefusedRequests } from "./account/questions/refused.ts";
import { requestPage } from "./account/questions/request-page.ts";
import { listScheduled } from "./account/schedule/list.ts";
import { takeBackAsked } from "./account/schedule/take-back.ts";
import { send } from "./account/send.ts";
import { AccountRecordings } from "./account-recordings.ts";

/** The part of an account object that takes requests, and says what became of them (contract §6, §13). */
export abstract class AccountQuestions extends AccountRecordings {
  readonly #groupCommit = new GroupCommit();
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

  /**
   * One billable request: all of it is stored before this returns, or none of it (contract §6). The caller submits what it
   * got the claim of, and enqueues a token for the lane that waits; if that is lost, the alarm finds the rows.
   */
  async send(asked: command.SendCommand): Promise<command.DoneOrRefusal | null> {
    await this.#groupCommit.next();
    return this.store.change((turn) => send(turn, asked));
  }

  /** `send` for a request with a quote. A method of its own, because the version before would charge another price. */
  sendQuoted(asked: command.SendCommand): Promise<command.DoneOrRefusal | null> {
    return this.send(asked);
  }

  /**
   * `send` for a request with a time. A method of its own, because the version before would leave the time out and send at
   * once.
   */
  sendLater(asked: command.SendCommand): Promise<command.DoneOrRefusal | null> {
    return this.send(asked);
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

  /** The DLT registry (contract §17.1). */
  dlt(): dlt.KeptDlt | null {
    return this.store.read(readDlt);
  }

  /** Replaces the registry of the account's live object, from the next request on. */
  putDlt(registry: dlt.DltRegistry): dlt.KeptDlt | null {
    return this.store.change((turn) => dltChanges.putDlt(turn, registry));
  }

  /** Replaces the registry of that time; `changed` where another one is there by now. */
  replaceDlt(registry: dlt.DltRegistry, updatedAt: number | null): dlt.KeptDlt | "changed" | null {
    return this.store.change((turn) => dltChanges.replaceDlt(turn, registry, updatedAt));
  }

  /** What the rules would say of a text, also where they are off; null also where there is no registry. */
  tryDlt(asked: command.DltAsked): dlt.DltTried | null {
    return this.store.change((turn) => tryDlt(turn, asked));
  }

  /** Templates that could be registered, made from texts that were sent. */
  dltSamples(): dlt.DltSample[] | null {
    return this.store.change(dltSamples);
  }

  /** Adds and changes templates of the registry of the account's live object. */
  importDlt(templates: dlt.DltTemplate[]): { kept: dlt.KeptDlt; imported: dlt.DltImported } | dlt.DltFault | null {
    return this.store.change((turn) => dltChanges.importDlt(turn, templates));
  }

  /** Takes over the live object's registry, unless a newer one is here. */
  copyDlt(kept: dlt.KeptDlt): true | null {
    return this.store.change((turn) => dltChanges.copyDlt(turn, kept));
  }

  /** The rules of the account, and what its day has cost. */
  rules(): RulesView | null {
    return this.store.change(rulesView);
  }

  /** Changes rules of the account; effective for the next request. */
  setRules(change: Partial<AccountRules>): RulesView | null {
    return this.store.change((turn) => changeRules(turn, change));
  }

  /** Takes a message or a request back, as far as it waits; null also where the account has none or does not find it. */
  takeBack(asked: detail.TakeBackAsked): detail.TakenBack | "too_late" | null {
    return this.store.change((turn) => takeBackAsked(turn, asked));
  }

  /** `messageDetail` of several messages, in their order; null where the account has no such message. */
  messageDetails(places: MessagePlace[]): (detail.MessageDetail | null)[] | null {
    return this.store.read((sql) => places.map((place) => messageDetail(sql, place)));
  }

  /** What is scheduled, next first, after a place. (The platform gives no access to a method `scheduled`.) */
  schedule(after: detail.ScheduledPlace | null, limit: number): detail.ScheduledRequest[] | null {
    return this.store.read((sql) => listScheduled(sql, after, limit, Date.now()));
  }
}
