import { TEST_MESSAGES_MAX, bucketOf } from "../../../model/history.ts";
import type { Records } from "../../../model/history.ts";
import type { Mode } from "../../../model/ref.ts";
import { number } from "../../rows.ts";
import { accountView, readAccount } from "../profile.ts";
import { longWaits } from "./long-waits.ts";
import { COUNT, groupsOf } from "./records.ts";

// What the account gives to history's consumer.

/**
 * The first job number of the newest messages that history keeps in test mode; 0 where it keeps all of them. It lies at
 * the beginning of a bucket, since a bucket is one row.
 */
function testKeptFrom(sql: SqlStorage): number {
  const newest = `SELECT seq, ${COUNT} AS count FROM job ORDER BY seq DESC LIMIT ${TEST_MESSAGES_MAX}`;
  let messages = 0;
  for (const row of sql.exec(newest)) {
    messages += number(row, "count");
    if (messages >= TEST_MESSAGES_MAX) return bucketOf(number(row, "seq"));
  }
  return 0;
}

/**
 * What history must hold of these jobs, in their newest state, and the profile if it is asked for. In test mode, older
 * groups than history keeps have no messages: they count as recorded.
 */
export function recordsOf(sql: SqlStorage, mode: Mode, seqs: readonly number[], profile: boolean): Records {
  const { historyDb } = readAccount(sql);
  const records = { profile: profile ? accountView(sql) : null, historyDb, waits: longWaits(sql, Date.now()) };
  if (mode === "live") return { ...records, groups: groupsOf(sql, seqs) };
  const keptFrom = testKeptFrom(sql);
  const groups = groupsOf(sql, seqs).map((group) => (group.seq < keptFrom ? { ...group, messages: [] } : group));
  return { ...records, groups, keptFrom };
}
