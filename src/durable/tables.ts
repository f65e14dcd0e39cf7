import { logProblem } from "../log.ts";
import { isOpened, migrate } from "./migrate.ts";
import type { Step } from "./migrate.ts";

export type { Step } from "./migrate.ts";

/** The schema of an object class. */
export interface Schema {
  readonly steps: readonly Step[];
  /** How many of them the table `migration` counts (`migrate`). */
  readonly counted: number;
}

/**
 * The tables of one object: absent until it is opened, migrated when it starts. Where they cannot be, the object starts all
 * the same: each use tries again, and throws.
 */
export class Tables {
  readonly #storage: DurableObjectStorage;
  readonly #schema: Schema;
  #standing: "absent" | "closed" | "ready" = "absent";
  /** Whether the start of the object has migrated them. */
  hasGrown = false;

  constructor(ctx: DurableObjectState, schema: Schema) {
    this.#storage = ctx.storage;
    this.#schema = schema;
    if (!isOpened(ctx.storage.sql)) return;
    this.#standing = "closed";
    try {
      this.#migrate();
    } catch (problem) {
      logProblem(`storage of ${ctx.id.name ?? "an object"}`, problem);
    }
  }

  /** Whether there are tables that this release can serve. */
  get isReady(): boolean {
    return this.#standing === "ready";
  }

  /** Whether there are tables. Throws StorageTooNew where this release cannot serve them. */
  get isOpened(): boolean {
    if (this.#standing === "closed") this.#migrate();
    return this.isReady;
  }

  /** Makes the tables, in one transaction with `work`; where there are some, runs only that. */
  make<T>(work: (make: () => void) => T): T {
    const { steps, counted } = this.#schema;
    const done = work(this.isOpened ? () => {} : () => void migrate(this.#storage.sql, steps, counted));
    this.#standing = "ready";
    return done;
  }

  /** Takes them for absent: they are being deleted. */
  close(): void {
    this.#standing = "absent";
  }

  #migrate(): void {
    const { steps, counted } = this.#schema;
    this.hasGrown = this.#storage.transactionSync(() => migrate(this.#storage.sql, steps, counted)) > 0;
    this.#standing = "ready";
  }
}
