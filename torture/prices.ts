import { operator } from "./books.ts";
import type { Log } from "./log.ts";

// The operator changes one price of the rate card all the time: that of an SMS to Italy, where only orders with a quote go.

/** Coins per segment, in turn. */
const PRICES = [5, 7, 3] as const;
const EVERY_MS = 1_500;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Changes the price until the run is over. */
export async function changePrices({ log, isOver }: { log: Log; isOver: () => boolean }): Promise<void> {
  for (let turn = 1; !isOver(); turn += 1) {
    await pause(EVERY_MS);
    const price = PRICES[turn % PRICES.length];
    log.append({ t: "price", price });
    const reply = await operator("PUT", "/rate-card", { smsByCountry: { IT: price } }).catch(() => null);
    log.append({ t: "priced", price, status: reply?.status ?? null });
  }
}
