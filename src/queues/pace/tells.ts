import type { Seen } from "../../model/pace.ts";
import { batcherPerBinding } from "../batcher.ts";
import { merged } from "./untold.ts";

// Pacing objects are told side by side: each carrier has a batcher of its own, so that an object that is slow or away
// holds up the news of no other one.

/** Receipts of so long are told together, in ms. */
const RECEIPTS_MS = 5_000;

/** What knows a carrier's pacing object. */
export interface Teller {
  /** Tells it, and hears what it answers. */
  tell(seen: Seen): Promise<void>;
  /** Tells it what it does not know of, if anything. */
  tellRest(): Promise<void>;
}

/** Tells a carrier's object at once, in one call for what came meanwhile. */
export const tells = batcherPerBinding("pace", (to: Teller, seen: Seen[]) => to.tell(merged(seen)), {
  itemsMax: 1_000,
});

/** Tells a carrier's object the rest in a moment, once for all who asked meanwhile. */
export const tellsLater = batcherPerBinding("pace of receipts", (to: Teller, _asked: null[]) => to.tellRest(), {
  itemsMax: 1_000,
  delayMs: RECEIPTS_MS,
});
