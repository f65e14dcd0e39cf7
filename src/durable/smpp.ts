import { DurableObject } from "cloudflare:workers";
import { configOf } from "../config/config.ts";
import { logLine, logProblem } from "../log.ts";
import type { SmppBindStanding, SmppSubmitted } from "../smpp/answers.ts";
import { placeOf } from "../objects.ts";
import { BrokenPdu, COMMAND } from "../smpp/pdu.ts";
import type { Pdu } from "../smpp/pdu.ts";
import { idOf, readReceipt } from "../smpp/receipts.ts";
import type { SmppReceipt } from "../smpp/receipts.ts";
import type { SmppSettings } from "../smpp/settings.ts";
import { isUnbound } from "../smpp/statuses.ts";
import { submissionOf } from "../smpp/submission.ts";
import type { SmppMessage } from "../smpp/submission.ts";
import { BIND_COMMAND, bindBody, readData, readDeliver } from "../smpp/units.ts";
import { dial } from "./smpp/dial.ts";
import type { Dial } from "./smpp/dial.ts";
import { tellHealth } from "./carrier-ids/health.ts";
import { Ledger } from "./carrier-ids/ledger.ts";
import type { Told } from "./carrier-ids/ledger.ts";
import { Line } from "./smpp/line.ts";
import type { Trouble } from "./smpp/line.ts";
import { Link } from "./smpp/link.ts";
import { Outbox } from "./carrier-ids/outbox.ts";
import type { Item } from "./carrier-ids/outbox.ts";
import { IDS_SCHEMA } from "./carrier-ids/schema.ts";
import { tellAccounts } from "./carrier-ids/tell.ts";
import { sendParts } from "./smpp/send.ts";
import { SetupStore } from "./smpp/setup.ts";
import type { BindSetup } from "./smpp/setup.ts";
import { nameOf } from "./name.ts";
import { Tables } from "./tables.ts";

/** The object is awake at least so often, in ms: one without events is evicted after 70 s, and its connections with it. */
const AWAKE_MS = 30_000;

/** A message waits so long for a connection that is being made, in ms. */
const BIND_WAIT_MS = 5_000;

const DAY_MS = 86_400_000;
const PRUNED_KEY = "pruned";

const NOT_CONFIGURED: SmppSubmitted = {
  outcome: { kind: "not_accepted", code: "not_configured" },
  commandStatus: null,
  messageId: null,
};

const notNow = (code: string): SmppSubmitted => ({ ...NOT_CONFIGURED, outcome: { kind: "not_accepted", code } });

/**
 * One bind of a carrier over SMPP, named `<carrier>:<n>` from 1: its connections, made again by an alarm, and the ids under
 * which the carrier took messages. The first one has the ids of all. A message's account is its outbox: what breaks off here is unknown there.
 */
export class SmppBind extends DurableObject<Env> {
  /** Opens the connections of new objects; tests have their own. */
  static dial: Dial = dial;
  dial: Dial = SmppBind.dial;
  readonly #carrier = nameOf(this.ctx).split(":")[0] ?? "";
  readonly #n = Number(nameOf(this.ctx).split(":")[1]);
  readonly #tables = new Tables(this.ctx, IDS_SCHEMA);
  readonly #setup = new SetupStore(this.ctx.storage, this.env, this.#carrier);
  readonly #ledger = new Ledger(this.ctx.storage.sql);
  readonly #outbox = new Outbox(this.ctx.storage.sql, (items) => this.#tell(items));
  #lines: Line[] = [];
  #checkedMs = 0;
  /** When the alarm is known to ring, in ms. */
  #alarmMs: number | null = null;
  /** Joins the parts of long messages; neighbours have different ones. */
  #reference = Math.floor(Math.random() * 0x1_0000);

  /**
   * Sets how the carrier is reached, and connects; false where a newer setup is there. `atMs`: when the operator set it;
   * 0 only gives one to an object that has none.
   */
  async configure(setup: BindSetup, atMs: number): Promise<boolean> {
    const done = await this.#setup.write(setup, atMs);
    if (done === "older") return false;
    this.#tables.make((make) => this.ctx.storage.transactionSync(make));
    if (done === "changed") {
      this.#leave();
      this.#forgetTroubles();
    }
    this.#connect();
    return true;
  }

  /** Takes no more messages. The carrier's first bind still takes receipts, for as long as one may come. */
  retire(atMs: number): void {
    if (!this.#setup.isThere) return;
    this.#setup.retire(atMs);
    this.#setAlarm(Date.now());
  }

  /** Submits a message once; waits up to `waitMs` for its place in the window. */
  async submit(message: SmppMessage, waitMs: number): Promise<SmppSubmitted> {
    const setup = this.#tables.isOpened && this.#setup.retiredMs === null ? this.#setup.read() : null;
    if (!setup) return NOT_CONFIGURED;
    const line = this.#connect(setup).find(({ mode }) => mode !== "rx");
    if (!line) return notNow("no_bind");
    if (!line.link) await Promise.race([line.ensure(Date.now()), scheduler.wait(Math.min(waitMs, BIND_WAIT_MS))]);
    const { link } = line;
    if (!link) return notNow(line.isRefused ? "bind_refused" : "no_bind");
    this.#reference = (this.#reference + 1) % 0x1_0000;
    const bodies = submissionOf(setup.settings, message, this.#reference);
    const given = (id: string, nth: number, isLate: boolean) => {
      const key = idOf(id, setup.settings.id_form, "answer");
      this.#note({ kind: "given", id: key, ref: message.ref, nth, parts: bodies.length });
      // Its account holds it for unknown.
      if (isLate && bodies.length === 1) this.#note({ kind: "told", ref: message.ref, state: "submitted", code: null });
    };
    const done = await sendParts({ link, bodies, waitMs, given });
    if (done.commandStatus !== null && isUnbound(done.commandStatus)) line.cut();
    return done;
  }

  /** How its connections stand, for the operator. */
  standing(): SmppBindStanding[] {
    if (this.#tables.isOpened && this.#setup.retiredMs === null) this.#connect();
    return this.#lines.map((line) => line.standing(this.#n));
  }

  /** Ids and receipts of the carrier's other binds: stored when this returns. May be repeated. */
  relay(items: readonly Item[]): void {
    this.#tables.make((make) => this.ctx.storage.transactionSync(make));
    for (const item of items) this.#note(item);
  }

  /** Keeps the connections: checks them, makes them again, tells what was not told. Never throws. */
  override async alarm(): Promise<void> {
    this.#alarmMs = null;
    try {
      if (!this.#tables.isOpened) return;
      // Before all else: whatever breaks off below, the object is awake again.
      this.#setAlarm(Date.now() + AWAKE_MS);
      await this.#outbox.flush();
      this.#prune();
      if (this.#setup.retiredMs !== null && (await this.#isOver(this.#setup.retiredMs))) return;
      await this.#keep();
    } catch (problem) {
      logProblem("smpp alarm", problem);
      this.#setAlarm(Date.now() + AWAKE_MS);
    }
  }

  /** Checks the connections that are there, and makes those that are not. */
  async #keep(): Promise<void> {
    const setup = this.#setup.read();
    if (!setup) return;
    const nowMs = Date.now();
    const lines = this.#connect(setup);
    const everyMs = setup.settings.enquire_s * 1_000;
    const isDue = Math.abs(nowMs - this.#checkedMs) >= everyMs - 500;
    if (isDue) this.#checkedMs = nowMs;
    await Promise.all(lines.map((line) => (line.link && isDue ? line.link.check() : line.ensure(nowMs))));
    this.#wake();
  }

  /** Ends a retired bind once nothing can come any more; true where it has ended. */
  async #isOver(retiredMs: number): Promise<boolean> {
    const untilMs = retiredMs + configOf(this.env).RECEIPT_WINDOW_MS;
    if (this.#n === 1 && !this.#ledger.isEmpty && Date.now() < untilMs) return false;
    await Promise.all(this.#lines.map((line) => line.leave()));
    this.#lines = [];
    if (!this.#outbox.isEmpty) return true;
    // The first one stays as a mark, so that no late submission sets the carrier up again.
    if (this.#n === 1) this.#ledger.clear();
    else await this.ctx.storage.deleteAll();
    await this.ctx.storage.deleteAlarm();
    this.#alarmMs = null;
    if (this.#n !== 1) {
      this.#tables.close();
      this.#setup.forget();
    }
    return true;
  }

  /** The lines of the setup; those that are due are connected. */
  #connect(setup = this.#setup.read()): Line[] {
    if (!setup) return this.#lines;
    const nowMs = Date.now();
    const modes = setup.settings.bind === "trx" ? (["trx"] as const) : (["tx", "rx"] as const);
    if (this.#lines.length === 0) this.#lines = modes.map((mode) => this.#line(mode, setup));
    for (const line of this.#lines) void line.ensure(nowMs);
    this.#wake();
    return this.#lines;
  }

  #line(mode: Line["mode"], { settings, password }: BindSetup): Line {
    const key = `trouble:${mode}`;
    const parts = {
      window: settings.window,
      responseMs: settings.response_s * 1_000,
      deliver: (pdu: Pdu) => this.#deliver(pdu, settings.id_form),
      committed: () => this.ctx.storage.sync(),
    };
    return new Line(
      {
        mode,
        trouble: this.ctx.storage.kv.get<Trouble>(key) ?? null,
        open: (closed) => {
          const link = new Link(this.dial(settings), { ...parts, closed });
          return { link, bind: () => link.bind(BIND_COMMAND[mode], bindBody(settings, password)) };
        },
        changed: (trouble) => {
          if (trouble) this.ctx.storage.kv.put(key, trouble);
          else this.ctx.storage.kv.delete(key);
          const state = trouble ? (trouble.status === null ? "down" : "refused") : "bound";
          logLine("smpp_bind", { carrier: this.#carrier, n: this.#n, mode, state, status: trouble?.status });
          this.#wake();
        },
      },
      Date.now(),
    );
  }

  /** Gives up the connections as they are; new ones are made beside them. */
  #leave(): void {
    for (const line of this.#lines) void line.leave();
    this.#lines = [];
  }

  #forgetTroubles(): void {
    for (const mode of ["trx", "tx", "rx"]) this.ctx.storage.kv.delete(`trouble:${mode}`);
  }

  /** Stores what the carrier delivers: receipts; a message from a phone is for no one. */
  #deliver({ command, body }: Pdu, form: SmppSettings["id_form"]): void {
    let receipt: SmppReceipt | null = null;
    try {
      receipt = readReceipt(command === COMMAND.dataSm ? readData(body) : readDeliver(body));
    } catch (problem) {
      // It is answered all the same: it would be as broken the next time.
      if (!(problem instanceof BrokenPdu)) throw problem;
    }
    if (receipt) this.#note({ kind: "receipt", ...receipt, id: idOf(receipt.id, form, "receipt") });
    else logLine("smpp_not_a_receipt", { carrier: this.#carrier, n: this.#n });
  }

  /** Stores an item and what follows from it in one transaction, and tells it soon. */
  #note(item: Item): void {
    const nowMs = Date.now();
    this.ctx.storage.transactionSync(() => {
      if (item.kind === "told" || this.#n !== 1) return this.#outbox.add(item);
      const told: Told[] =
        item.kind === "given"
          ? this.#ledger.given(item, nowMs)
          : this.#ledger.receipt(item, nowMs, configOf(this.env).RECEIPT_WINDOW_MS);
      for (const one of told) this.#outbox.add({ kind: "told", ...one });
    });
    void this.#outbox.flush();
  }

  /** Tells accounts of their messages, and the first object of ids and receipts. */
  async #tell(items: readonly Item[]): Promise<void> {
    const ids = items.filter(({ kind }) => kind !== "told");
    if (ids.length > 0) await this.env.SMPP.getByName(`${this.#carrier}:1`, placeOf(this.env)).relay(ids);
    tellHealth(this.env, this.#carrier, items);
    await tellAccounts(
      this.env,
      this.#carrier,
      items.filter((item) => item.kind === "told"),
    );
  }

  #prune(): void {
    const nowMs = Date.now();
    if (nowMs - (this.ctx.storage.kv.get<number>(PRUNED_KEY) ?? 0) < DAY_MS) return;
    this.ctx.storage.kv.put(PRUNED_KEY, nowMs);
    const count = this.#ledger.prune(nowMs, configOf(this.env).RECEIPT_WINDOW_MS);
    if (count > 0) logLine("receipts_forgotten", { carrier: this.#carrier, count });
  }

  /** Sets the alarm for the next try or check, unless it rings before. */
  #wake(): void {
    const nowMs = Date.now();
    const tries = this.#lines.map(({ nextMs }) => nextMs).filter((ms) => ms !== null);
    const enquireMs = (this.#setup.read()?.settings.enquire_s ?? Infinity) * 1_000;
    this.#setAlarm(Math.max(nowMs, Math.min(nowMs + Math.min(AWAKE_MS, enquireMs), ...tries)));
  }

  #setAlarm(atMs: number): void {
    if (this.#alarmMs !== null && this.#alarmMs <= atMs && this.#alarmMs > Date.now()) return;
    this.#alarmMs = atMs;
    this.ctx.storage.setAlarm(atMs).catch((problem: unknown) => {
      this.#alarmMs = null;
      logProblem("smpp alarm", problem);
    });
  }
}
