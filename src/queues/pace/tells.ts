import type { PaceNews, Seen } from "../../model/pace.ts";
import { batcherPerBinding } from "../batcher.ts";
import { merged } from "./untold.ts";

/** Receipts of so long are told together, in ms. */
const RECEIPTS_MS = 5_000;

/** Something to tell the pacing object of a carrier, and who hears what it answers. */
export interface Telling {
  carrier: string;
  place: DurableObjectNamespaceGetDurableObjectOptions;
  seen: Seen;
  heard: (news: PaceNews) => void;
}

/** Tells pacing objects at once, in one call of each for what came meanwhile. */
export const tells = batcherPerBinding(
  "pace",
  async (binding: Env["PACE"], items: Telling[]) => {
    for (const { carrier, place, heard } of new Map(items.map((item) => [item.carrier, item])).values()) {
      const seen = merged(items.filter((item) => item.carrier === carrier).map((item) => item.seen));
      heard(await binding.getByName(carrier, place).tell(seen));
    }
  },
  { itemsMax: 1_000 },
);

/** Tells pacing objects in a moment; each of these does it once. */
export const tellsLater = batcherPerBinding(
  "pace of receipts",
  async (_binding: Env["PACE"], items: { tellRest: () => Promise<void> }[]) => {
    for (const one of new Set(items)) await one.tellRest();
  },
  { itemsMax: 1_000, delayMs: RECEIPTS_MS },
);
