// Closing an account and erasing it. The object knows since when it closes; D1 has the row by which the periodic work
// carries an erasure to its end (src/leaving).

/**
 * `asked`: the objects may not know it yet. `closing`: no new sends, until the day of the erasure. `kept`: taken back,
 * and the objects may not know it yet. `erasing`: cannot be taken back. `sweeping`: everything was deleted once; what was
 * under way at that moment is deleted by a second pass. `erased`: only what the law keeps is left. `over`: that, too, is
 * deleted.
 */
export const LEAVING_STATES = ["asked", "closing", "kept", "erasing", "sweeping", "erased", "over"] as const;

export type LeavingState = (typeof LEAVING_STATES)[number];

/** Why an account cannot be erased yet. */
export type Hindrance = "open_messages" | "debt" | "balance" | "open_orders";

/** An account's standing, as far as its erasure depends on it. */
export interface ClosingView {
  /** When it is erased, in ms; null while it is not closing. */
  closesAt: number | null;
  /** Units. */
  balance: number;
  /** Units. */
  owed: number;
  /** Whether a message may still change: it waits, or is at a carrier without a final receipt. */
  hasOpen: boolean;
  /** Units that such messages cost: at most so much may come back. */
  openUnits: number;
}

/** The last entry of a ledger before an erasure; `given`: units of the balance that were given up. */
export type ClosingSettled = { ok: true; given: number } | { ok: false; hindrance: Hindrance };
