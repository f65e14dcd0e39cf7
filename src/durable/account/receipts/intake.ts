import type { News } from "../../../model/message.ts";
import type { Abilities } from "../delivery.ts";
import { Gatherer } from "./gather.ts";

// What the account is told of its messages. Receipts of bulks wait for each other, to share a write. Anything else is
// applied at once: an outcome is a whole round already, and a single message's receipt writes its own row anyway.

/** Applies the news of one account. */
export class NewsIntake {
  readonly #sql: SqlStorage;
  readonly #apply: (news: News[], abilities?: Abilities) => void;
  readonly #receipts: Gatherer<News>;

  /** `apply` stores news in one transaction. */
  constructor(sql: SqlStorage, apply: (news: News[], abilities?: Abilities) => void) {
    this.#sql = sql;
    this.#apply = apply;
    this.#receipts = new Gatherer((news) => apply(news));
  }

  /** Applies news, in any order and any number of times; stored when this resolves. */
  async take(news: readonly News[], abilities: Abilities): Promise<void> {
    const { bulk = [], other = [] } = Object.groupBy(news, (one) => (this.#isOfBulk(one) ? "bulk" : "other"));
    if (other.length > 0) this.#apply(other, abilities);
    if (bulk.length > 0) await this.#receipts.add(bulk);
  }

  #isOfBulk({ kind, seq }: News): boolean {
    if (kind !== "receipt") return false;
    return this.#sql.exec("SELECT 1 FROM job WHERE seq = ? AND lane = 'bulk'", seq).toArray().length > 0;
  }
}
