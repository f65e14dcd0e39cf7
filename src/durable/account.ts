import { accountOfName } from "../crypto/ids.ts";
import type * as model from "../model/account.ts";
import type * as command from "../model/command.ts";
import type { ArchivePage, ArchiveState } from "../model/archive.ts";
import type { ExportedJob } from "../model/export.ts";
import type { Recorded, Records } from "../model/history.ts";
import type * as leaving from "../model/leaving.ts";
import type { MessageDetail } from "../model/message-detail.ts";
import type * as message from "../model/message.ts";
import type * as payment from "../model/paying/payment.ts";
import type { MessagePlace } from "../model/ref.ts";
import type { Fresh, Look } from "../search/look.ts";
import { admitBalance } from "./account/admission.ts";
import { archivePage, clearNext } from "./account/archive/files.ts";
import { followJobs, reportNews, work } from "./account/delivery.ts";
import { messagePage } from "./account/message/views.ts";
import { expireKeys, listKeys, makeKey, revokeKey, rotateKey } from "./account/keys.ts";
import { ledgerPage } from "./account/billing/ledger.ts";
import { exportPage } from "./account/closing/export-page.ts";
import * as closing from "./account/closing/closing.ts";
import { messageDetail } from "./account/message-detail.ts";
import { debtsOf } from "./account/billing/debt.ts";
import { disputePayment, refundPayment, settlePayment } from "./account/billing/payments.ts";
import { accountView, amendAccount, credit, openAccount } from "./account/profile.ts";
import { lookAtFresh } from "./account/history/recent-messages.ts";
import { recordsOf } from "./account/history/given.ts";
import { reconcile, recountPage } from "./account/billing/reconcile.ts";
import { NewsIntake } from "./account/receipts/intake.ts";
import { AccountEvents } from "./account-events.ts";
import { nameOf } from "./name.ts";

/**
 * One account in one mode, the single source of truth for its money, keys, rate window, messages and recordings. Methods
 * that read or change the account return null where it was never opened.
 */
export class Account extends AccountEvents {
  readonly #news = new NewsIntake(this.store.sql, (...asked) =>
    this.store.commit((turn) => reportNews(turn, ...asked)),
  );

  /** Opens the account, unless it exists on other terms or was erased. Repeating it changes nothing. */
  open(opening: model.Opening): model.Opened {
    return this.store.isErased ? "erased" : this.store.open((turn) => openAccount(turn, opening));
  }

  /** The balance, as a customer's request that counts in the rate window. */
  balance(caller: command.Caller): command.BalanceView | command.Refusal | null {
    return this.store.change((turn) => admitBalance(turn, caller));
  }

  /** Admits a request to the account's own API, or refuses it (contract §13); `writes`: it changes something. */
  admitOwn(keyId: number, writes: boolean, secretId?: number): command.OwnDoor | null {
    return this.store.read((sql) => this.own.admit(sql, { keyId, secretId }, { writes, nowMs: Date.now() }));
  }

  /** One round of a consumer: applies the outcomes of its last claims, then claims the next messages of a lane. */
  work(asked: message.WorkAsked): message.WorkDone | null {
    return this.store.change((turn) => work(turn, asked));
  }

  /**
   * Applies outcomes and receipts, in any order and any number of times, and refunds what is due; null where the account
   * was never opened. `follow`: the carrier can look messages up; `resubmits`: it recognises references. A
   * caller that `delivers` is told `webhooks` where it is to do so.
   */
  async report(
    news: message.News[],
    follow: boolean,
    resubmits = false,
    delivers = false,
  ): Promise<true | "webhooks" | null> {
    if (!this.store.isOpened) return null;
    await this.#news.take(news, { follow, resubmits });
    return delivers && this.store.webhooks.calls() ? "webhooks" : true;
  }

  /** The messages of these jobs that a carrier took, or may have taken, and that have no final receipt. */
  follow(seqs: number[]): message.Followed[] | null {
    return this.store.read((sql) => followJobs(sql, seqs));
  }

  /** What history must hold of these jobs, in their newest state, and the profile if it is asked for. */
  records(seqs: number[], profile: boolean): Records | null {
    const { mode } = accountOfName(nameOf(this.ctx));
    return this.store.read((sql) => recordsOf(sql, mode, seqs, profile));
  }

  /** Notes what history has recorded, in any order and repeatedly; null: it was away, and what it misses is named later. */
  recorded(recorded: Recorded | null): true | null {
    return this.store.read(() => this.store.alarm.recorded(recorded));
  }

  /** Plans the next run of the archive if something is old enough (`HISTORY_DAYS`); returns how archiving is going. */
  async archive(): Promise<ArchiveState | null> {
    return this.store.isOpened ? this.store.alarm.archive() : null;
  }

  /** Files of the archive after the one with this first number, oldest first, and the checkpoint. */
  archives(after: number, limit: number): ArchivePage | null {
    return this.store.read((sql) => archivePage(sql, after, limit));
  }

  /** Up to which number history is to be cleared next, or null; `done`: up to this number it has nothing any more. */
  clearNext(done: number | null): number | null {
    return this.store.change(({ sql }) => clearNext(sql, done));
  }

  /**
   * Lets history record everything again, where its database (null: any) is this one: after that lost rows. False where the
   * account's history is in another one.
   */
  rebuildHistory(database: number | null): boolean | null {
    return this.store.read(() => this.store.alarm.rebuildHistory(database));
  }

  /** The account as it is now. */
  view(): model.AccountView | null {
    return this.store.read(accountView);
  }

  /** Changes status, plan or OTP rate; effective for the next request. */
  amend(change: model.Amendment): model.AccountView | null {
    return this.store.change((turn) => {
      amendAccount(turn, change);
      return accountView(turn.sql);
    });
  }

  /** Credits the account, or adjusts its balance downwards, once per reference. */
  credit(asked: Parameters<typeof credit>[1]): model.Credited | null {
    return this.store.change((turn) => credit(turn, asked));
  }

  /** Credits a paid order once and raises the plan to it. */
  settlePayment(paid: payment.Payment): payment.Settled | null {
    return this.store.change((turn) => settlePayment(turn, paid));
  }

  /** Takes the credit of a refunded payment back once; the balance never falls below 0. */
  refundPayment(refund: payment.PaymentRefund): payment.Refunded | null {
    return this.store.change((turn) => refundPayment(turn, refund));
  }

  /** Takes back what a lost dispute took of a payment, and gives it back once the dispute is won. */
  disputePayment(disputed: payment.PaymentDispute): payment.Disputed | null {
    return this.store.change((turn) => disputePayment(turn, disputed));
  }

  /** What refunds and disputes of payments left owed, and what paid it. */
  debts(): payment.Debts | null {
    return this.store.read(debtsOf);
  }

  /** Ledger entries after a number, oldest first. */
  ledger(after: number, limit: number): model.LedgerView[] | null {
    return this.store.read((sql) => ledgerPage(sql, after, limit));
  }

  /** Messages after a place, oldest first. */
  messages(after: { seq: number; index: number }, limit: number): message.MessageView[] | null {
    return this.store.read((sql) => messagePage(sql, after, limit));
  }

  /** The messages that match a search, of those that may be missing from history. */
  look(asked: Look): Fresh | null {
    return this.store.read((sql) => lookAtFresh(sql, asked));
  }

  /** One message with everything that its page shows; null also where the account has no such message. */
  messageDetail(place: MessagePlace): MessageDetail | null {
    return this.store.read((sql) => messageDetail(sql, place));
  }

  /** Every key, revoked ones included. */
  keys(): model.KeyView[] | null {
    return this.store.read(listKeys);
  }

  /** Adds a key; false when the account has too many. */
  makeKey(keyId: number, name: string, once?: command.AskedOnce, secretId?: number): model.KeyMade | null {
    return this.store.change((turn) => makeKey(turn, { keyId, secretId, name, once }));
  }

  /** Revokes the keys that were made with some secrets or before a time, before the next request, and returns them. */
  expireKeys(asked: model.KeysToExpire): model.KeyView[] | null {
    return this.store.change((turn) => expireKeys(turn, asked));
  }

  /** Revokes a key before the next request; false when the account has no such key. */
  revokeKey(keyId: number): boolean | null {
    return this.store.change((turn) => revokeKey(turn, keyId));
  }

  /** Replaces a key; both work while the overlap lasts. */
  rotateKey(
    oldId: number,
    newId: number,
    overlapMs: number,
    once?: command.AskedOnce,
    secretId?: number,
  ): model.Rotation | null {
    return this.store.change((turn) => rotateKey(turn, { oldId, newId, secretId, overlapMs, once }));
  }

  /** Recomputes every total and returns the differences; an empty list means that all agree. Only for small accounts. */
  reconcile(): model.Difference[] | null {
    return this.store.change(reconcile);
  }

  /** Recounts a page of the account; `unreadable` is what is no cursor. */
  recount(asked: model.RecountAsked): model.Recounted | "unreadable" | null {
    return this.store.change((turn) => recountPage(turn, asked) ?? "unreadable");
  }

  /** What the overview page shows: the account, its keys, its newest jobs, and the first job since a time. */
  outline(sinceMs: number): model.Outline | null {
    return this.store.read(() => this.store.live.outline(sinceMs));
  }

  /** Begins to close the account, which is erased at this time (ms): nothing new is sent from now on. */
  close(closesAt: number): model.AccountView | null {
    return this.store.change((turn) => {
      closing.closeAccount(turn, closesAt);
      return accountView(turn.sql);
    });
  }

  /** Takes back the closing that ends at this time. */
  keep(closesAt: number): model.AccountView | null {
    return this.store.change((turn) => {
      closing.keepAccount(turn, closesAt);
      return accountView(turn.sql);
    });
  }

  /** What an erasure depends on. */
  closing(): leaving.ClosingView | null {
    return this.store.read((sql) => closing.closingView(sql, Date.now()));
  }

  /** Takes back what is scheduled; then the last entry before an erasure, or why the account cannot be erased yet. */
  async settleClosing(givenUpMax: number): Promise<leaving.ClosingSettled | null> {
    while (this.store.change(closing.takeBackAtClosing)) await scheduler.wait(0);
    return this.store.change((turn) => closing.settleClosing(turn, givenUpMax));
  }

  /** Erases the account for good. The caller has settled it; may be repeated. */
  async erase(): Promise<true> {
    await this.store.erase();
    return true;
  }

  /** Jobs after a number with all that an export shows of them, up to this many messages and one job more. */
  exportPage(after: number, messagesMax: number): ExportedJob[] | null {
    return this.store.read((sql) => exportPage(sql, after, messagesMax));
  }

  /** Closes every live socket, so that each client must authenticate again after a session has ended. */
  hangUp(): void {
    this.store.live.hangUp();
  }

  /** Clients never send on these sockets; closes any that does. */
  override webSocketMessage(socket: WebSocket): void {
    socket.close(1008, "this feed only sends");
  }

  /** Completes the closing handshake. */
  override webSocketClose(socket: WebSocket): void {
    socket.close(1000);
  }

  /** Sets the alarm where it was lost, and says whether it was; otherwise nothing is written. Null: never opened. */
  async heal(): Promise<boolean | null> {
    return this.store.isOpened ? this.store.alarm.heal() : null;
  }

  /** Shows that the object can be reached (`/readyz`). */
  ping(): "pong" {
    return "pong";
  }

  override async alarm(): Promise<void> {
    await this.store.ring();
  }
}
