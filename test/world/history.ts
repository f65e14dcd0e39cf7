import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { searchHistory } from "../../src/db/activity.ts";
import { bucketOf } from "../../src/model/history.ts";
import type { JobGroup } from "../../src/model/history.ts";
import type { MessageState, MessageView, Operation } from "../../src/model/message.ts";
import type { World } from "./world.ts";

// History in D1: what tests put into it, and what it holds.

/** The time around which `messageOf` makes messages. */
export const NOW_MS = Date.parse("2026-11-21T09:00:00Z");

const OPERATIONS: Operation[] = ["sms", "sms_international", "otp", "tts", "voice"];
export const STATES: MessageState[] = ["queued", "submitted", "delivered", "undelivered", "failed", "unknown"];

/** A message that history could contain; `n` determines every field. */
export function messageOf(n: number, seq: number, index: number): MessageView {
  const pick = <T>(list: readonly T[], step: number): T => list[Math.floor(n / step) % list.length] as T;
  const createdAt = NOW_MS - 40 * 86_400_000 + seq * 3_600_000;
  return {
    seq,
    index,
    rev: 1,
    requestId: `req_${seq % 7}Ab%_${n % 13}`,
    keyId: pick([null, 1, 2, 0x8000_0001], 3),
    operation: pick(OPERATIONS, 1),
    to: `+9198${String(n).padStart(8, "0")}`,
    state: pick(STATES, 2),
    charge: pick([0, 2_500, 10_000, 20_000, 50_000], 5),
    refunded: n % 11 === 0,
    carrier: n % 2 === 0 ? "sim" : null,
    attempts: n % 3,
    errorCode: null,
    createdAt,
    updatedAt: createdAt,
    timeline: [{ state: "queued", at: createdAt }],
  };
}

/** The groups of these messages: buckets for jobs of one message, and a group for each other job. */
export function groupsOf(messages: readonly MessageView[]): JobGroup[] {
  const jobs = [...Map.groupBy(messages, ({ seq }) => seq)];
  const groupOf = (kind: JobGroup["kind"], seq: number, of: typeof jobs): JobGroup => ({
    kind,
    seq,
    jobs: of.map(([job, views]) => ({ seq: job, rev: Math.max(...views.map((view) => view.rev)) })),
    messages: of.flatMap(([, views]) => views),
  });
  const singles = Map.groupBy(
    jobs.filter(([, { length }]) => length === 1),
    ([seq]) => bucketOf(seq),
  );
  return [
    ...[...singles].map(([seq, of]) => groupOf("singles", seq, of)),
    ...jobs.filter(([, { length }]) => length > 1).map((job) => groupOf("bulk", job[0], [job])),
  ];
}

/** The messages that history holds of an account, in order. */
export async function historyOf({ ref }: Pick<World, "ref">): Promise<MessageView[]> {
  const bounds = { from: null, limit: 100_000, groups: 10_000, low: 0, high: Number.MAX_SAFE_INTEGER };
  return (await searchHistory(env.HISTORY_1, ref, { terms: [], direction: "newer", except: [], ...bounds })).rows;
}

/** How many rows history has of an account. */
export async function rowsOf({ ref }: Pick<World, "ref">): Promise<number> {
  const query = "SELECT count(*) AS rows FROM message_group WHERE account_id = ? AND mode = ?";
  return (await env.HISTORY_1.prepare(query).bind(ref.accountId, ref.mode).first<number>("rows")) ?? 0;
}

/** The settled mark: history has every job up to it. */
export function settledSeq({ stub }: Pick<World, "stub">): Promise<SqlStorageValue | undefined> {
  return runInDurableObject(
    stub,
    (_, state) => state.storage.sql.exec("SELECT settled_seq FROM account").one()["settled_seq"],
  );
}
