import * as z from "zod";
import { logProblem } from "../../log.ts";
import { number, text } from "../rows.ts";

// What an object that has ids of a carrier has to tell others: it is stored before it is told, and deleted after.

const state = z.enum(["submitted", "delivered", "undelivered", "failed"]);
const code = z.string().nullable();

/** `told` is for an account; the others are for the carrier's first object, which alone knows every id. */
const ITEM = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("told"), ref: z.string(), state, code }),
  z.object({ kind: z.literal("given"), id: z.string(), ref: z.string(), nth: z.int(), parts: z.int() }),
  z.object({ kind: z.literal("receipt"), id: z.string(), state, code }),
]);

export type Item = z.output<typeof ITEM>;

/** Items that are told at once. */
const BATCH = 200;

/** Tells these; where it throws, they stay, and are told again. */
export type Tell = (items: readonly Item[]) => Promise<void>;

function readItem(json: string): Item | null {
  const read = ITEM.safeParse(JSON.parse(json));
  return read.success ? read.data : null;
}

export class Outbox {
  readonly #sql: SqlStorage;
  readonly #tell: Tell;
  #telling: Promise<void> | null = null;

  constructor(sql: SqlStorage, tell: Tell) {
    this.#sql = sql;
    this.#tell = tell;
  }

  /** Stores an item, inside the caller's transaction. */
  add(item: Item): void {
    this.#sql.exec("INSERT INTO outbox (item) VALUES (?)", JSON.stringify(item));
  }

  get isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM outbox LIMIT 1").toArray().length === 0;
  }

  /** Tells all that is stored, in its order; what cannot be told stays for the next time. Never throws. */
  flush(): Promise<void> {
    this.#telling ??= this.#all();
    return this.#telling;
  }

  async #all(): Promise<void> {
    // Not before the caller holds this promise, which the end below takes away again.
    await Promise.resolve();
    try {
      for (;;) {
        const rows = this.#sql.exec("SELECT number, item FROM outbox ORDER BY number LIMIT ?", BATCH).toArray();
        const last = rows.at(-1);
        if (!last) return;
        await this.#tell(rows.map((row) => readItem(text(row, "item"))).filter((item) => item !== null));
        this.#sql.exec("DELETE FROM outbox WHERE number <= ?", number(last, "number"));
      }
    } catch (problem) {
      logProblem("carrier outbox", problem);
    } finally {
      this.#telling = null;
    }
  }
}
