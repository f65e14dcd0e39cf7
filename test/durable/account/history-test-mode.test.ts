import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { olderPage } from "../../../src/activity/list.ts";
import { deleteGroups } from "../../../src/db/history.ts";
import { TEST_MESSAGES_MAX, bucketOf } from "../../../src/model/history.ts";
import type { MessagePlace } from "../../../src/model/ref.ts";
import { historyOf, rowsOf, settledSeq } from "../../world/history.ts";
import { bearer, messagesOf, openWorld, post, recordHistory, sendSms } from "../../world/world.ts";
import type { World } from "../../world/world.ts";

// A test key is free, so history keeps only the newest messages of test mode.

async function sendBulk(world: World, count: number): Promise<void> {
  const recipients = Array.from({ length: count }, (_, at) => `98765${String(at).padStart(5, "0")}`);
  const { status } = await post(
    "http://sms.localhost/send-bulk-sms",
    { recipients, message: "Hi" },
    bearer(world.apiKey),
  );
  expect(status).toBe(200);
}

/** The account's messages are over, without a carrier: only whether they are recorded is at issue. */
async function end({ stub }: World): Promise<void> {
  await runInDurableObject(stub, (_, { storage }) =>
    storage.sql.exec(`UPDATE job SET due_at = NULL, ready_at = NULL, rev = rev + 1,
      created_at = created_at - 3600000 WHERE due_at IS NOT NULL OR ready_at IS NOT NULL`),
  );
}

const jobsOf = async (world: World) => [...new Set((await messagesOf(world)).map(({ seq }) => seq))];

async function recordAll(world: World): Promise<void> {
  const seqs = await jobsOf(world);
  for (let at = 0; at < seqs.length; at += 20) await recordHistory(world, seqs.slice(at, at + 20));
}

const place = ({ seq, index }: MessagePlace) => `${seq}.${index}`;

/** The newest messages that history keeps at least, and what it may have besides: the rest of a bucket. */
function expectKept(kept: readonly MessagePlace[], sent: readonly MessagePlace[]) {
  const first = bucketOf(sent.at(-TEST_MESSAGES_MAX)?.seq ?? 0);
  expect(kept.map(place)).toEqual(sent.filter(({ seq }) => seq >= first).map(place));
}

it("keeps the newest messages of test mode, and deletes older ones, whose jobs count as recorded", async () => {
  const world = await openWorld({ mode: "test", balance: 100_000 });
  await sendSms(world);
  await sendBulk(world, 2_500);
  await end(world);
  await recordAll(world);
  expect(await historyOf(world)).toHaveLength(2_501);
  await sendBulk(world, 10_000);
  await end(world);
  await recordAll(world);
  const sent = await messagesOf(world);
  expect(sent).toHaveLength(12_501);
  const kept = await historyOf(world);
  expectKept(kept, sent);
  expect(kept.length).toBeLessThan(2 * 64 * 100 + TEST_MESSAGES_MAX);
  expect(await settledSeq(world)).toBe(sent.at(-1)?.seq);
  // The list ends where history does; the account itself still has each message.
  const page = await olderPage({ env, ref: world.ref, stub: world.stub }, [], { seq: kept[0]?.seq ?? 0, index: 0 });
  expect(page).toMatchObject({ rows: [], older: null, away: false });
  expect((await world.stub.messageDetail({ seq: 2, index: 0 }))?.message.seq).toBe(2);
}, 60_000);

it("keeps everything of live mode", async () => {
  const world = await openWorld({ balance: 100_000 });
  await sendBulk(world, 4_000);
  await end(world);
  await recordAll(world);
  expect(await historyOf(world)).toHaveLength(4_000);
});

it("deletes the groups of one account and mode below a number, some at a time", async () => {
  const [world, other] = [await openWorld({ balance: 10_000 }), await openWorld({ balance: 10_000 })];
  for (const one of [world, other]) {
    await sendSms(one);
    await sendBulk(one, 1_000);
    await end(one);
    await recordAll(one);
    expect(await rowsOf(one)).toBe(11);
  }
  const asked = { below: 10, limit: 5 };
  expect(await deleteGroups(env.HISTORY_1, world.ref, asked)).toBe(6);
  expect(await deleteGroups(env.HISTORY_1, world.ref, asked)).toBe(2);
  expect(await deleteGroups(env.HISTORY_1, world.ref, asked)).toBe(0);
  expect((await historyOf(world)).map(({ seq }) => seq).every((seq) => seq >= 10)).toBe(true);
  expect(await rowsOf(world)).toBe(3);
  expect(await rowsOf(other)).toBe(11);
});
