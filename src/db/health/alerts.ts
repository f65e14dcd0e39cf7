import { and, asc, desc, eq, isNull, lt, sql } from "drizzle-orm";
import type { SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Alert, AlertKind, AlertNews, AlertValues } from "../../model/alert.ts";
import { alert, alertNotice } from "./schema.ts";

// Alerts and their undelivered notices, in D1. A change of an alert and its notice are one transaction, and a notice's
// id follows from the alert's episode: of two callers at the same time one writes it, and a repetition writes none.

/** How notices are written: `meanings` by kind, and where the runbook is. Null: there is no channel. */
export interface NoticeTexts {
  meaning: (kind: AlertKind) => string;
  runbook: (kind: AlertKind) => string;
}

const alertColumns = {
  kind: alert.kind,
  subject: alert.subject,
  firstAt: alert.firstAt,
  lastAt: alert.lastAt,
  count: alert.count,
  values: alert.values,
  endedAt: alert.endedAt,
};

const isoOf = (ms: SQL) => sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${ms} / 1000.0, 'unixepoch')`;

/** Writes a notice for the alert that `which` finds, if there is one; the id gets `suffix`. */
function noticeOf(
  db: ReturnType<typeof drizzle>,
  news: AlertNews,
  kind: AlertKind,
  { which, suffix, texts, nowMs }: { which: SQL | undefined; suffix: SQL; texts: NoticeTexts; nowMs: number },
) {
  const body = sql`json_object(
    'type', ${`alert.${news}`},
    'timestamp', ${new Date(nowMs).toISOString()},
    'data', json_object(
      'kind', ${alert.kind}, 'subject', ${alert.subject}, 'meaning', ${texts.meaning(kind)},
      'runbook', ${texts.runbook(kind)}, 'first_at', ${isoOf(sql`${alert.firstAt}`)},
      'last_at', ${isoOf(sql`${alert.lastAt}`)}, 'count', ${alert.count}, 'values', json(${alert.values})))`;
  const row = db
    .select({
      seq: sql`NULL`.as("seq"),
      id: sql`${alert.episode} || ${suffix}`.as("id"),
      body: body.as("body"),
      at: sql`${nowMs}`.as("at"),
      tries: sql`0`.as("tries"),
      nextAt: sql`0`.as("next_at"),
    })
    .from(alert)
    .where(and(eq(alert.kind, kind), which));
  return db.insert(alertNotice).select(row).onConflictDoNothing();
}

/** One raising of an alert: `episode` is the id that it gets if it begins with this. */
export interface Raised {
  kind: AlertKind;
  subject: string;
  values: AlertValues;
  episode: string;
}

/**
 * Begins an alert with its notice, or notes that it goes on: its time, its values, and one more in its count. `texts` is
 * null where there is no channel, and so no notice.
 */
export async function storeRaised(
  binding: D1Database,
  { kind, subject, values, episode }: Raised,
  texts: NoticeTexts | null,
  nowMs: number,
): Promise<void> {
  const db = drizzle(binding);
  const isOver = sql`${alert.endedAt} IS NOT NULL`;
  const orNew = (kept: SQL, fresh: SQL) => sql`CASE WHEN ${isOver} THEN ${fresh} ELSE ${kept} END`;
  const noticedAt = texts === null ? 0 : nowMs;
  const upsert = db
    .insert(alert)
    .values({ kind, subject, episode, firstAt: nowMs, lastAt: nowMs, count: 1, values, endedAt: null, noticedAt })
    .onConflictDoUpdate({
      target: [alert.kind, alert.subject],
      set: {
        episode: orNew(sql`${alert.episode}`, sql`excluded.episode`),
        firstAt: orNew(sql`${alert.firstAt}`, sql`excluded.first_at`),
        lastAt: sql`excluded.last_at`,
        count: orNew(sql`${alert.count} + 1`, sql`1`),
        values: sql`excluded.details`,
        endedAt: null,
        noticedAt: orNew(sql`${alert.noticedAt}`, sql`excluded.noticed_at`),
      },
    });
  if (texts === null) {
    await upsert;
    return;
  }
  // Only the raising whose episode the row has taken began the alert.
  const which = and(eq(alert.subject, subject), eq(alert.episode, episode));
  await db.batch([upsert, noticeOf(db, "begin", kind, { which, suffix: sql`'_begin'`, texts, nowMs })]);
}

/** Ends an open alert, with its notice; false where none is open. */
export async function storeEnded(
  binding: D1Database,
  { kind, subject, before }: { kind: AlertKind; subject: string; before?: number },
  texts: NoticeTexts | null,
  nowMs: number,
): Promise<boolean> {
  const db = drizzle(binding);
  const open = and(
    eq(alert.subject, subject),
    isNull(alert.endedAt),
    before === undefined ? undefined : lt(alert.lastAt, before),
  );
  const end = db
    .update(alert)
    .set({ endedAt: nowMs })
    .where(and(eq(alert.kind, kind), open));
  if (texts === null) return (await end).meta.changes > 0;
  const [, ended] = await db.batch([
    noticeOf(db, "end", kind, { which: open, suffix: sql`'_end'`, texts, nowMs }),
    end,
  ]);
  return ended.meta.changes > 0;
}

/** Writes a reminder of an open alert, unless one was written since `before` by another caller. */
export async function storeReminder(
  binding: D1Database,
  { kind, subject, before }: { kind: AlertKind; subject: string; before: number },
  texts: NoticeTexts,
  nowMs: number,
): Promise<void> {
  const db = drizzle(binding);
  const due = and(eq(alert.subject, subject), isNull(alert.endedAt), lt(alert.noticedAt, before));
  const noticed = db
    .update(alert)
    .set({ noticedAt: nowMs })
    .where(and(eq(alert.kind, kind), due));
  const suffix = sql`'_' || ${alert.noticedAt}`;
  await db.batch([noticeOf(db, "reminder", kind, { which: due, suffix, texts, nowMs }), noticed]);
}

/** Open alerts, the oldest first. */
export async function openAlerts(binding: D1Database, limit: number): Promise<(Alert & { noticedAt: number })[]> {
  return drizzle(binding)
    .select({ ...alertColumns, noticedAt: alert.noticedAt })
    .from(alert)
    .where(isNull(alert.endedAt))
    .orderBy(asc(alert.firstAt))
    .limit(limit);
}

/** Alerts that ended, the latest first. */
export async function endedAlerts(binding: D1Database, limit: number): Promise<Alert[]> {
  return drizzle(binding)
    .select(alertColumns)
    .from(alert)
    .where(sql`${alert.endedAt} IS NOT NULL`)
    .orderBy(desc(alert.endedAt))
    .limit(limit);
}

/** Deletes alerts that ended before a time. */
export async function deleteEndedAlerts(binding: D1Database, before: number): Promise<void> {
  await drizzle(binding).delete(alert).where(lt(alert.endedAt, before));
}
