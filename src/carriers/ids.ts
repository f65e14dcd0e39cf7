import { placeOf } from "../objects.ts";
import type { Receipt } from "./carrier.ts";

// The store of a carrier's ids: which message an id stands for, where receipts do not name our reference. It is in objects
// (src/durable/carrier-ids.ts), so that both sides of an id meet in one place, in whatever order they come.

/** What a receipt says besides whose it is. */
export type EarlyReceipt = Pick<Receipt, "state" | "code">;

/** The ids of one carrier. */
export interface CarrierIds {
  /**
   * Stores that the carrier knows the message as `id`, before the submission counts as submitted, and reports the receipt
   * that was kept for the id. Ids are kept as long as receipts may come. Throws where it could not be stored.
   */
  note: (id: string, ref: string) => Promise<void>;
  /**
   * The reference that the carrier's id stands for; null where it is not known (yet). The receipt is then kept for a day or
   * two, for it may have come before the answer to its submission (contract §16.2). Throws where it could not be kept: the
   * carrier then sends it again.
   */
  find: (id: string, receipt: EarlyReceipt) => Promise<string | null>;
}

/** Among so many objects a carrier's ids are shared. What is stored would not be found by another number. */
const SHARES = 8;

/** The gaps before an id is stored again that could not be, in ms. */
const AGAIN_MS = [50, 200];

const shareOf = (id: string): number => {
  let sum = 0;
  for (let at = 0; at < id.length; at += 1) sum = (sum * 31 + id.charCodeAt(at)) >>> 0;
  return sum % SHARES;
};

/** The ids of a carrier with this name, whatever it was set up as. */
export function storedIds(env: Env, carrier: string): CarrierIds {
  const objectOf = (id: string) => env.CARRIER_IDS.getByName(`${carrier}:${shareOf(id)}`, placeOf(env));
  return {
    async note(id, ref) {
      for (const gap of AGAIN_MS) {
        try {
          return await objectOf(id).note(id, ref);
        } catch {
          await scheduler.wait(gap);
        }
      }
      return objectOf(id).note(id, ref);
    },
    find: (id, { state, code }) => objectOf(id).find(id, state, code ?? null),
  };
}
