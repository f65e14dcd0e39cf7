import { DurableObject } from "cloudflare:workers";
import { configOf } from "../config/config.ts";
import { logLine, logProblem } from "../log.ts";
import type { ReceiptState } from "../model/message.ts";
import { tellHealth } from "./carrier-ids/health.ts";
import { Ledger } from "./carrier-ids/ledger.ts";
import { Outbox } from "./carrier-ids/outbox.ts";
import { IDS_SCHEMA } from "./carrier-ids/schema.ts";
import { tellAccounts } from "./carrier-ids/tell.ts";
import { nameOf } from "./name.ts";
import { Tables } from "./tables.ts";

/** How often what is too old is forgotten, in ms. */
const PRUNE_MS = 86_400_000;

/** When a receipt that could not be told is told again, in ms. */
const AGAIN_MS = 30_000;

/**
 * A share of the ids under which a carrier over HTTP took messages, named `<carrier>:<share>`: of carriers whose receipts
 * name only their own id (src/carriers/ids.ts). Empty again once no receipt may come any more.
 */
export class CarrierIds extends DurableObject<Env> {
  readonly #carrier = nameOf(this.ctx).split(":")[0] ?? "";
  readonly #tables = new Tables(this.ctx, IDS_SCHEMA);
  readonly #ledger = new Ledger(this.ctx.storage.sql);
  readonly #outbox = new Outbox(this.ctx.storage.sql, (items) => {
    tellHealth(this.env, this.#carrier, items);
    return tellAccounts(
      this.env,
      this.#carrier,
      items.filter((item) => item.kind === "told"),
    );
  });

  /** Stores which message an id stands for, and tells its account what came before. May be repeated. */
  async note(id: string, ref: string): Promise<void> {
    const nowMs = Date.now();
    this.#tables.make((make) =>
      this.ctx.storage.transactionSync(() => {
        make();
        const told = this.#ledger.given({ id, ref, nth: 1, parts: 1 }, nowMs);
        for (const one of told) this.#outbox.add({ kind: "told", ...one });
      }),
    );
    await this.#wake(this.#outbox.isEmpty ? PRUNE_MS : AGAIN_MS);
    this.ctx.waitUntil(this.#outbox.flush());
  }

  /** The message that an id stands for; null where none does, and the receipt is then kept for a day or two. */
  async find(id: string, state: ReceiptState, code: string | null): Promise<string | null> {
    const { RECEIPT_WINDOW_MS } = configOf(this.env);
    const found = this.#tables.make((make) =>
      this.ctx.storage.transactionSync(() => {
        make();
        return this.#ledger.receipt({ id, state, code }, Date.now(), RECEIPT_WINDOW_MS);
      }),
    );
    await this.#wake(PRUNE_MS);
    return found[0]?.ref ?? null;
  }

  /** Tells what was not told, and forgets what is too old. Never throws. */
  override async alarm(): Promise<void> {
    try {
      if (!this.#tables.isOpened) return;
      // Before all else: whatever breaks off below, the object is awake again.
      await this.ctx.storage.setAlarm(Date.now() + AGAIN_MS);
      await this.#outbox.flush();
      const count = this.#ledger.prune(Date.now(), configOf(this.env).RECEIPT_WINDOW_MS);
      if (count > 0) logLine("receipts_forgotten", { carrier: this.#carrier, count });
      if (!this.#outbox.isEmpty) return;
      if (!this.#ledger.isEmpty || this.#ledger.early > 0) {
        await this.ctx.storage.setAlarm(Date.now() + PRUNE_MS);
        return;
      }
      this.#tables.close();
      await Promise.all([this.ctx.storage.deleteAlarm(), this.ctx.storage.deleteAll()]);
    } catch (problem) {
      logProblem("carrier ids", problem);
    }
  }

  /** Sets the alarm, unless it rings before. */
  async #wake(inMs: number): Promise<void> {
    const atMs = Date.now() + inMs;
    const setMs = await this.ctx.storage.getAlarm();
    if (setMs === null || setMs > atMs) await this.ctx.storage.setAlarm(atMs);
  }
}
