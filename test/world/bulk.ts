import { runInDurableObject } from "cloudflare:test";
import { vi } from "vitest";
import type { News, ReceiptState } from "../../src/model/message.ts";
import { bearer, claim, post } from "./world.ts";
import type { World } from "./world.ts";

// A bulk that waits for its receipts, and receipts for it.

/** A message of a bulk that its carrier has taken. */
export interface Place {
  seq: number;
  index: number;
}

/** Sends a bulk to this many numbers. */
export async function sendBulk(world: World, count: number): Promise<void> {
  const recipients = Array.from({ length: count }, (_, at) => `98765${String(at).padStart(5, "0")}`);
  await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
}

/** Claims messages of bulks, at most `max`, and reports them as submitted. */
export async function submitBulk(world: World, max: number): Promise<Place[]> {
  const jobs = await claim(world, { lane: "bulk", max });
  const places = jobs.flatMap(({ seq, messages }) => messages.map(({ index, attempt }) => ({ seq, index, attempt })));
  const outcome = { kind: "submitted" } as const;
  await world.stub.report(
    places.map((place) => ({ ...place, kind: "outcome", outcome })),
    false,
  );
  return places.map(({ seq, index }) => ({ seq, index }));
}

/** A receipt of each of these messages. */
export const receiptsOf = (places: readonly Place[], state: ReceiptState = "delivered"): News[] =>
  places.map(({ seq, index }) => ({ kind: "receipt", seq, index, state }));

/** Moves the clock on, so far that the account's next receipts are stored at once. */
export const pause = () => vi.setSystemTime(Date.now() + 2_000);

/** What storage itself holds: rows of the journal, and the revisions of the jobs' rows. */
export const storedBulk = ({ stub }: World) =>
  runInDurableObject(stub, (_, { storage: { sql } }) => ({
    journal: Number(sql.exec("SELECT count(*) AS rows FROM receipt_journal").one()["rows"]),
    revs: sql
      .exec("SELECT rev FROM job ORDER BY seq")
      .toArray()
      .map(({ rev }) => Number(rev)),
  }));
