import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { digestOf } from "../../../../src/archive/verify.ts";
import { archiveKeys } from "../../../../src/model/archive.ts";
import { DAY_MS, archive, linesOf, manifestsOf, restore, rowsLeft, settle, stateOf } from "../../../world/archive.ts";
import { later, sendDelivered, stopClock } from "../../../world/pass.ts";
import { balanceOf, ledgerOf, messagesOf, openWorld, operator, sendBulk, sendSms } from "../../../world/world.ts";

// What is older than HISTORY_DAYS leaves the account in files, and the ledger stays what it was.

beforeEach(stopClock);
afterEach(() => vi.useRealTimers());

const reconcile = async (accountId: string) =>
  (await operator("GET", `/operator/reconcile?account=${accountId}`)).body.differences as unknown[];

describe("archiving", () => {
  it("moves whole months into files, and leaves the balance and a checkpoint", async () => {
    const world = await openWorld();
    await sendDelivered(world, 3);
    await settle(world);
    const before = await ledgerOf(world);
    const balance = await balanceOf(world);
    const messages = await messagesOf(world);
    later(432 * DAY_MS);
    expect(await archive(world)).toBe(true);
    expect(await rowsLeft(world)).toEqual({ jobs: [], entries: [1] });
    expect(await balanceOf(world)).toBe(balance);
    expect((await world.stub.view())?.lastMessageAt).toBe(messages.at(-1)?.createdAt);
    const [checkpoint, ...rest] = await ledgerOf(world);
    expect(rest).toEqual([]);
    expect(checkpoint).toMatchObject({ type: "checkpoint", seq: 4, amount: balance, balanceAfter: balance });
    expect(await reconcile(world.ref.accountId)).toEqual([]);
    const lines = await linesOf(world);
    expect(lines.map(({ row }) => row["seq"])).toEqual([1, 2, 3, 4]);
    expect(JSON.stringify(lines)).not.toContain("text");
    await restore(world, lines);
    expect(await ledgerOf(world)).toEqual(before);
    expect(await messagesOf(world)).toEqual(messages);
    expect(await reconcile(world.ref.accountId)).toEqual([]);
  });

  it("describes each file in its manifest, which is stored beside it", async () => {
    const world = await openWorld();
    await sendDelivered(world, 2);
    await settle(world);
    later(432 * DAY_MS);
    await archive(world);
    const [manifest, ...more] = await manifestsOf(world);
    if (!manifest) throw new Error("no file");
    expect(more).toEqual([]);
    expect(manifest).toMatchObject({
      version: 1,
      account: world.ref.accountId,
      mode: "live",
      first: 1,
      last: 3,
      lines: { job: 2, ledger_entry: 1 },
      units: { debit: -20_000, refund: 0, credit: 10_000_000, adjustment: 0 },
      balanceBefore: 0,
      balanceAfter: 9_980_000,
    });
    const keys = archiveKeys(world.name, manifest);
    const stored = await (await env.ARCHIVE.get(keys.manifest))?.json();
    expect(stored).toEqual(manifest);
    const file = new Uint8Array((await (await env.ARCHIVE.get(keys.file))?.arrayBuffer()) ?? new ArrayBuffer());
    expect(digestOf(file)).toEqual(manifest.file);
  });

  it("keeps what is younger, what is open and what history is missing, and goes on when that is over", async () => {
    const world = await openWorld();
    await sendDelivered(world, 2);
    await settle(world);
    await sendSms(world);
    await sendDelivered(world, 1);
    later(432 * DAY_MS);
    await archive(world);
    // The third message is not recorded.
    expect((await rowsLeft(world)).jobs).toEqual([4, 5]);
    await settle(world);
    later(DAY_MS);
    await archive(world);
    expect((await rowsLeft(world)).jobs).toEqual([]);
    expect((await manifestsOf(world)).map(({ first, last }) => [first, last])).toEqual([
      [1, 3],
      [4, 5],
    ]);
    expect(await archive(world)).toBe(false);
    expect(await stateOf(world)).toMatchObject({ archive_at: null, archive_failures: 0 });
  });

  it("never divides a request, and gives each month its own file", async () => {
    vi.setSystemTime(Date.UTC(2027, 0, 31, 23, 59, 0));
    const world = await openWorld({ balance: 10_000 });
    await sendBulk(world, 250);
    await sendDelivered(world);
    vi.setSystemTime(Date.UTC(2027, 1, 1, 0, 0, 1));
    await sendDelivered(world);
    await settle(world);
    later(500 * DAY_MS);
    await archive(world);
    expect((await manifestsOf(world)).map(({ month, first, last }) => [month, first, last])).toEqual([
      ["2027-01", 1, 5],
      ["2027-02", 6, 6],
    ]);
  });
});
