import { DurableObject } from "cloudflare:workers";
import { configOf } from "../config.ts";
import { accountOfName } from "../crypto/ids.ts";
import { recordedJobs, recordedProfile } from "../db/history.ts";
import { logProblem } from "../log.ts";
import type {
  AccountView,
  Amendment,
  Credited,
  Difference,
  KeyView,
  LedgerView,
  Opening,
  Outline,
  Rotation,
} from "../model/account.ts";
import type { BalanceView, Caller, DoneOrRefusal, Refusal, SendCommand, UploadDoor } from "../model/command.ts";
import type { Story } from "../model/message-detail.ts";
import type {
  ClaimedJob,
  Followed,
  MessageView,
  News,
  Recorded,
  Recording,
  RecordingPlace,
  RecordingView,
} from "../model/message.ts";
import type { Payment, PaymentRefund, Refunded, Settled } from "../model/payment.ts";
import type { MessagePlace } from "../model/ref.ts";
import { enqueueDispatch, enqueueHistory } from "../queues/enqueue.ts";
import type { Fresh, Look } from "../search/look.ts";
import { enter, writeTimes } from "./account/admission.ts";
import type { WindowTimes } from "./account/admission.ts";
import { claimJobs, followJobs, reportNews, timersOf } from "./account/delivery.ts";
import { Gathering } from "./account/gather-receipts.ts";
import { Turns } from "./account/group-commit.ts";
import { dueAmong, messagePage, messageViews, readJob } from "./account/jobs.ts";
import { addKey, isActive, listKeys, revokeKey, rotateKey } from "./account/keys.ts";
import { ledgerHead, ledgerPage } from "./account/ledger.ts";
import { LiveFeed, outline } from "./account/live.ts";
import { tellStory } from "./account/message-detail.ts";
import type { Timers } from "./account/message-life.ts";
import { lateJobsUnrecorded, nextDueMs } from "./account/open-jobs.ts";
import { refundPayment, settlePayment } from "./account/payments.ts";
import { accountView, amendAccount, credit, openAccount, readAccount } from "./account/profile.ts";
import { lookAtFresh } from "./account/recent-messages.ts";
import { reconcile } from "./account/reconcile.ts";
import { abandonUpload, beginUpload, finishUpload, listRecordings, readRecording } from "./account/recordings.ts";
import { send } from "./account/send.ts";
import { settle, sweep } from "./account/sweep.ts";
import { isOpened, migrate } from "./migrate.ts";

const UNKNOWN_ACCOUNT: Refusal = { ok: false, reason: "unauthorized" };

/** An alarm that failed comes again after this. */
const ALARM_RETRY_MS = 30_000;

/**
 * Under a sweep that is shorter than this, an account is compared with D1 no more often: the invocation that reports an
 * end records it itself, and this only finds what was lost. It would be most of what an account does.
 */
const COMPARE_MS_MIN = 10_000;

/** One account in one mode: the only truth about its money, keys, window, messages and recordings (design §1). */
export class Account extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql;
  readonly #window: WindowTimes = { times: null };
  readonly #turns = new Turns();
  readonly #receipts = new Gathering((news: News[]) => this.#report(news, false));
  readonly #live = new LiveFeed(this.ctx, this.env);
  #opened = false;
  #alarmAt: number | null = null;
  #comparedMs = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    if (!isOpened(this.#sql)) return;
    void ctx.blockConcurrencyWhile(async () => {
      this.#transact(() => migrate(this.#sql));
      this.#opened = true;
      this.#alarmAt = await ctx.storage.getAlarm();
      this.#armForDue(Date.now());
    });
  }

  /** Opens the account; false when it exists under another name. Repeating it changes nothing. */
  open(opening: Opening): boolean {
    const fresh = !this.#opened;
    const opened = this.#transact((nowMs) => {
      if (fresh) migrate(this.#sql);
      return openAccount(this.#sql, opening, nowMs);
    });
    this.#opened = true;
    if (opened && fresh) this.#tellProfile();
    return opened;
  }

  /** The balance, as a counted request of a customer. */
  balance(caller: Caller): BalanceView | Refusal {
    if (!this.#opened) return UNKNOWN_ACCOUNT;
    return this.#transact((nowMs) => {
      const door = enter(this.#sql, this.#window, caller, nowMs);
      if (!door.ok) return door;
      writeTimes(this.#sql, this.#window.times ?? []);
      if (door.replayed) throw new Error("reading a balance has no Idempotency-Key");
      return { ok: true, balance: ledgerHead(this.#sql).balance, window: door.window };
    });
  }

  /** Whether a key opens this account now. No request of a customer: it is not counted. */
  isActive(keyId: number): boolean {
    return this.#opened && isActive(this.#sql, keyId, Date.now());
  }

  /** One billable request: all of it is stored before this returns, or none of it (contract §6). */
  async send(command: SendCommand): Promise<DoneOrRefusal> {
    if (!this.#opened) return UNKNOWN_ACCOUNT;
    await this.#turns.next();
    const { result, seqs } = this.#transact((nowMs) => send(this.#sql, this.#window, command, this.#timers(), nowMs));
    if (seqs.length > 0) {
      // Whoever asked brings them on their way. The rows are safe: what is lost there, the alarm finds.
      this.#armBy(Date.now() + this.#timers().sweepMs);
      this.#live.tell(seqs);
    }
    return result;
  }

  /** Admits an upload before its bytes travel. */
  beginUpload(caller: Caller): UploadDoor {
    if (!this.#opened) return UNKNOWN_ACCOUNT;
    return this.#transact((nowMs) => beginUpload(this.#sql, this.#window, caller, nowMs));
  }

  /** Makes a recording the account's own; its bytes are in R2 by then. */
  finishUpload(caller: Caller, recording: Recording): void {
    this.#transact((nowMs) => finishUpload(this.#sql, caller, recording, nowMs));
  }

  /** Gives an upload up whose bytes did not arrive. */
  abandonUpload(caller: Caller): void {
    this.#transact(() => abandonUpload(this.#sql, caller));
  }

  /** Recordings after a place, newest first. */
  recordings(after: RecordingPlace | null, limit: number): RecordingView[] {
    return this.#opened ? listRecordings(this.#sql, after, limit) : [];
  }

  /** One recording of this account; null for another account's and for an unknown one. */
  recording(fileId: string): RecordingView | null {
    return this.#opened ? readRecording(this.#sql, fileId) : null;
  }

  /** Takes up to `max` waiting messages for one attempt each; nobody else gets them while the lease lasts. */
  claim(seqs: number[], max: number, carrier: string, leaseMs: number): ClaimedJob[] {
    if (!this.#opened) return [];
    const claimed = this.#transact((nowMs) =>
      claimJobs(this.#sql, { seqs, max, carrier, leaseMs }, this.#timers(), nowMs),
    );
    const changed = claimed.map((job) => job.seq);
    this.#lookAgain(changed);
    this.#live.tell(changed);
    return claimed;
  }

  /**
   * Takes in outcomes and receipts, in any order and any number of times; refunds what is due. Returns the messages of
   * every job that came to its end, for whoever reported to record them in history.
   */
  async report(news: News[], follow: boolean): Promise<MessageView[][]> {
    if (!this.#opened) return [];
    if (news.some(({ kind }) => kind === "outcome")) return this.#report(news, follow);
    return (await this.#receipts.add(news)) ?? [];
  }

  /** The messages of these jobs whose carrier can still tell something new. */
  follow(seqs: number[]): Followed[] {
    return this.#opened ? followJobs(this.#sql, seqs) : [];
  }

  /** The newest state of these jobs' messages, for history. */
  changes(seqs: number[]): MessageView[] {
    if (!this.#opened) return [];
    return seqs.flatMap((seq) => {
      const job = readJob(this.#sql, seq);
      return job ? messageViews(job) : [];
    });
  }

  /** The account as it stands, or null where nobody opened one. */
  view(): AccountView | null {
    return this.#opened ? accountView(this.#sql) : null;
  }

  /** Changes standing, plan or OTP rate; effective for the next request. */
  amend(change: Amendment): AccountView | null {
    if (!this.#opened) return null;
    this.#transact(() => amendAccount(this.#sql, change));
    this.#tellProfile();
    this.#live.tell([]);
    return accountView(this.#sql);
  }

  /** Gives credit, or takes an adjustment, once per reference. */
  credit(asked: Parameters<typeof credit>[1]): Credited | null {
    if (!this.#opened) return null;
    const credited = this.#transact((nowMs) => credit(this.#sql, asked, nowMs));
    this.#live.tell([]);
    return credited;
  }

  /** Credits a paid order once and raises the plan to it; null where nobody opened an account. */
  settlePayment(payment: Payment): Settled | null {
    if (!this.#opened) return null;
    const settled = this.#transact((nowMs) => settlePayment(this.#sql, payment, nowMs));
    if (settled.ok && settled.changed) this.#tellAccount();
    return settled;
  }

  /** Takes the credit of a refunded payment back once, never below 0; null where nobody opened an account. */
  refundPayment(refund: PaymentRefund): Refunded | null {
    if (!this.#opened) return null;
    const refunded = this.#transact((nowMs) => refundPayment(this.#sql, refund, nowMs));
    if (refunded.ok && refunded.changed) this.#tellAccount();
    return refunded;
  }

  /** Ledger entries after a number, oldest first. */
  ledger(after: number, limit: number): LedgerView[] | null {
    return this.#opened ? ledgerPage(this.#sql, after, limit) : null;
  }

  /** Messages after a place, oldest first. */
  messages(after: { seq: number; index: number }, limit: number): MessageView[] | null {
    return this.#opened ? messagePage(this.#sql, after, limit) : null;
  }

  /** What a search finds among the messages that history may lack; null where nobody opened an account. */
  look(asked: Look): Fresh | null {
    return this.#opened ? lookAtFresh(this.#sql, asked) : null;
  }

  /** One message with all that belongs to it. */
  story(place: MessagePlace): Story | null {
    return this.#opened ? tellStory(this.#sql, place) : null;
  }

  /** Every key, revoked ones included. */
  keys(): KeyView[] | null {
    return this.#opened ? listKeys(this.#sql) : null;
  }

  /** Adds a key; null when there is no account, false when it has too many. */
  makeKey(keyId: number, name: string): boolean | null {
    return this.#opened ? this.#transact((nowMs) => addKey(this.#sql, keyId, name, nowMs)) : null;
  }

  /** Revokes a key before the next request; false when there is none. */
  revokeKey(keyId: number): boolean {
    return this.#opened && this.#transact((nowMs) => revokeKey(this.#sql, keyId, nowMs));
  }

  /** Replaces a key; both work while the overlap lasts. */
  rotateKey(oldId: number, newId: number, overlapMs: number): Rotation {
    if (!this.#opened) return { ok: false, reason: "unknown" };
    return this.#transact((nowMs) => rotateKey(this.#sql, oldId, newId, overlapMs, nowMs));
  }

  /** Recounts everything; null where nobody opened an account. */
  reconcile(): Difference[] | null {
    return this.#opened ? reconcile(this.#sql) : null;
  }

  /** What a first page shows: the account, its keys, its newest jobs, and the first job since a time. */
  outline(sinceMs: number): Outline | null {
    return this.#opened ? outline(this.#sql, this.#live, sinceMs) : null;
  }

  /** Opens a WebSocket that is told of every change; `from` is the first job that its listener still shows. */
  override fetch(request: Request): Response {
    if (!this.#opened) return new Response(null, { status: 404 });
    return this.#live.accept(Number(new URL(request.url).searchParams.get("from")) || null);
  }

  /** A session of its person ended: whoever listens has to show anew that theirs did not. */
  hangUp(): void {
    this.#live.hangUp();
  }

  /** Listeners have nothing to say; one that does is not ours. */
  override webSocketMessage(socket: WebSocket): void {
    socket.close(1008, "this feed only tells");
  }

  /** Answers a listener's goodbye. */
  override webSocketClose(socket: WebSocket): void {
    socket.close(1000);
  }

  /** Answers; that is all (`/readyz`). */
  ping(): "pong" {
    return "pong";
  }

  /** Lets time pass, hands over again what the queues lost, and completes history. Never throws: it must come again. */
  override async alarm(): Promise<void> {
    this.#alarmAt = null;
    if (!this.#opened) return;
    try {
      const atomically = (work: () => void) => this.ctx.storage.transactionSync(work);
      const swept = this.#transact((nowMs) => sweep(this.#sql, atomically, this.#timers(), nowMs));
      const { dispatch, follow, changed } = swept;
      this.#live.tell(changed);
      await this.#enqueue("send", dispatch);
      await this.#enqueue("follow", follow);
      // While D1 is away history waits, and nothing else does.
      const incomplete = await this.#completeHistory().catch((problem: unknown) => {
        logProblem("history", problem);
        return true;
      });
      if (incomplete) this.#armBy(Date.now() + this.#timers().sweepMs);
      this.#armForDue(Date.now());
    } catch (problem) {
      logProblem("alarm", problem);
      // By a constant: whatever failed may be the configuration itself.
      this.#armBy(Date.now() + ALARM_RETRY_MS);
    }
  }

  /** Everything with money happens in here: all of `work` is stored, or nothing (design §3.3). */
  #transact<T>(work: (nowMs: number) => T): T {
    try {
      return this.ctx.storage.transactionSync(() => work(Date.now()));
    } catch (problem) {
      this.#window.times = null;
      throw problem;
    }
  }

  /** Applies news, and returns the messages of every job that came to its end. */
  #report(news: News[], follow: boolean): MessageView[][] {
    const { changed, ended } = this.#transact((nowMs) => reportNews(this.#sql, news, follow, this.#timers(), nowMs));
    this.#lookAgain(changed);
    this.#live.tell(changed);
    return ended.map((job) => messageViews(job));
  }

  /** Standing, plan or balance changed: history and whoever looks on are told. */
  #tellAccount(): void {
    this.#tellProfile();
    this.#live.tell([]);
  }

  #timers(): Timers {
    return timersOf(configOf(this.env));
  }

  /** Sets the alarm for jobs that changed: when they are due, and for history to be completed. */
  #lookAgain(seqs: number[]): void {
    if (seqs.length === 0) return;
    const nowMs = Date.now();
    const soon = nowMs + this.#timers().sweepMs;
    const due = dueAmong(this.#sql, seqs) ?? soon;
    // What is due already waits for its consumer; only when none comes, the sweep hands it over again.
    this.#armBy(due > nowMs ? Math.min(soon, due) : soon);
  }

  #enqueue(kind: "send" | "follow", seqs: number[]): Promise<void> {
    return enqueueDispatch(this.env.DISPATCH, kind, this.#name(), seqs);
  }

  /** Tells history that the account itself changed. */
  #tellProfile(): void {
    this.#armBy(Date.now() + this.#timers().sweepMs);
    this.ctx.waitUntil(enqueueHistory(this.env.HISTORY, { account: this.#name(), seqs: [], profile: true }));
  }

  /** Compares with D1 and sends again what it lacks; true when something was missing. D1 decides nothing else. */
  async #completeHistory(): Promise<boolean> {
    const nowMs = Date.now();
    const often = this.#timers().sweepMs < COMPARE_MS_MIN;
    if (often && Math.abs(nowMs - this.#comparedMs) < COMPARE_MS_MIN) {
      this.#armBy(this.#comparedMs + COMPARE_MS_MIN);
      return false;
    }
    this.#comparedMs = nowMs;
    const ref = accountOfName(this.#name());
    const account = readAccount(this.#sql);
    let recorded: Recorded | null = null;
    let profile = false;
    try {
      recorded = await recordedJobs(this.env.DB, ref, account.settledSeq, lateJobsUnrecorded(this.#sql));
      profile = (await recordedProfile(this.env.DB, ref)) < account.rev;
    } finally {
      // While D1 is away, what is open for long no longer holds the settled mark back all the same.
      if (!recorded) this.#transact((nowMs) => settle(this.#sql, null, this.#timers(), nowMs));
    }
    const { missing, againMs } = this.#transact((nowMs) => settle(this.#sql, recorded, this.#timers(), nowMs));
    if (againMs !== null) this.#armBy(againMs);
    if (missing.length === 0 && !profile) return false;
    await enqueueHistory(this.env.HISTORY, { account: this.#name(), seqs: missing, profile });
    return true;
  }

  /** Moves the alarm earlier, never later: another may be waiting for it. */
  #armBy(timeMs: number): void {
    if (this.#alarmAt !== null && this.#alarmAt <= timeMs) return;
    this.#alarmAt = timeMs;
    void this.ctx.storage.setAlarm(timeMs);
  }

  #armForDue(nowMs: number): void {
    const dueMs = nextDueMs(this.#sql, readAccount(this.#sql).settledSeq);
    if (dueMs !== null) this.#armBy(dueMs <= nowMs ? nowMs + this.#timers().sweepMs : dueMs);
  }

  #name(): string {
    const { name } = this.ctx.id;
    if (name === undefined) throw new Error("an account object is reached by its name");
    return name;
  }
}
