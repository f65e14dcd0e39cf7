import { and, eq, gt, isNotNull, lt, lte, ne, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { person, session } from "./schema.ts";

// People and their sessions in D1. Every query about them is in this file or in src/db/sign-in.ts.

export type PersonRow = typeof person.$inferSelect;
type SessionRow = typeof session.$inferSelect;

/** A session that has not expired, with its person; `person` is null for a session of the desk. */
export async function sessionByHash(
  binding: D1Database,
  hash: string,
  nowMs: number,
): Promise<{ session: SessionRow; person: PersonRow | null } | null> {
  const rows = await drizzle(binding)
    .select({ session, person })
    .from(session)
    .leftJoin(person, eq(person.id, session.holder))
    .where(and(eq(session.hash, hash), gt(session.expiresAt, nowMs)));
  return rows[0] ?? null;
}

export async function insertSession(binding: D1Database, row: typeof session.$inferInsert): Promise<void> {
  await drizzle(binding).insert(session).values(row);
}

/** Records that a session was used, and when it expires now. */
export async function touchSession(
  binding: D1Database,
  hash: string,
  seenAt: number,
  expiresAt: number,
): Promise<void> {
  await drizzle(binding).update(session).set({ seenAt, expiresAt }).where(eq(session.hash, hash));
}

export async function deleteSession(binding: D1Database, hash: string): Promise<void> {
  await drizzle(binding).delete(session).where(eq(session.hash, hash));
}

/** Deletes every session of a holder except the one with `exceptHash`. */
export async function deleteSessionsOf(binding: D1Database, holder: string, exceptHash = ""): Promise<void> {
  await drizzle(binding)
    .delete(session)
    .where(and(eq(session.holder, holder), ne(session.hash, exceptHash)));
}

/** Deletes the least recently used sessions of a holder beyond `max`; whether there were any. */
export async function trimSessions(binding: D1Database, holder: string, max: number): Promise<boolean> {
  const beyond = sql`SELECT hash FROM session WHERE holder = ${holder} ORDER BY seen_at DESC, created_at DESC LIMIT -1 OFFSET ${max}`;
  const done = await drizzle(binding).run(sql`DELETE FROM session WHERE hash IN (${beyond})`);
  return done.meta.changes > 0;
}

/** Changes of a person after which no other browser may remain signed in or known. */
export type Renewal = Partial<Pick<PersonRow, "phone" | "email" | "password">>;

/**
 * Changes how a person signs in, forgets every browser, and deletes every session except the one with `exceptHash`, in
 * one transaction. A new phone also ends a change of phone that waits. False, and nothing is done, when the phone or
 * e-mail belongs to another person, or when `ifNextPhone` is not the phone that waits.
 */
export async function renewPerson(
  binding: D1Database,
  id: string,
  change: Renewal,
  { nowMs, exceptHash = "", ifNextPhone }: { nowMs: number; exceptHash?: string | undefined; ifNextPhone?: string },
): Promise<boolean> {
  const { phone = null, email = null } = change;
  const settled = change.phone === undefined ? {} : { nextPhone: null, nextPhoneAt: null };
  const db = drizzle(binding);
  const [done] = await db.batch([
    db
      .update(person)
      .set({ ...change, ...settled, devicesSince: nowMs })
      .where(
        and(
          eq(person.id, id),
          ifNextPhone === undefined ? undefined : eq(person.nextPhone, ifNextPhone),
          // In the same statement: between a check and a write, another request could take the phone or e-mail.
          sql`NOT EXISTS (SELECT 1 FROM person AS other WHERE other.id <> ${id}
            AND (other.phone = ${phone} OR other.email = ${email}))`,
        ),
      ),
    db
      .delete(session)
      .where(
        and(
          eq(session.holder, id),
          ne(session.hash, exceptHash),
          sql`(SELECT devices_since FROM person WHERE id = ${id}) = ${nowMs}`,
        ),
      ),
  ]);
  return done.meta.changes > 0;
}

/** The sessions of a holder that have not expired, most recently used first. */
export async function sessionsOf(binding: D1Database, holder: string, nowMs: number): Promise<SessionRow[]> {
  return drizzle(binding)
    .select()
    .from(session)
    .where(and(eq(session.holder, holder), gt(session.expiresAt, nowMs)))
    .orderBy(sql`${session.seenAt} DESC`);
}

/** Deletes sessions that have expired. */
export async function forgetOldSessions(binding: D1Database, nowMs: number): Promise<void> {
  await drizzle(binding).delete(session).where(lt(session.expiresAt, nowMs));
}

/** A person by one of their unique fields, or null. */
export async function personBy(
  binding: D1Database,
  by: { id: string } | { phone: string } | { email: string } | { accountId: string },
): Promise<PersonRow | null> {
  const where =
    "id" in by
      ? eq(person.id, by.id)
      : "phone" in by
        ? eq(person.phone, by.phone)
        : "email" in by
          ? eq(person.email, by.email)
          : eq(person.accountId, by.accountId);
  const rows = await drizzle(binding).select().from(person).where(where);
  return rows[0] ?? null;
}

/** Adds a person; false when the phone, e-mail or account belongs to another person. */
export async function insertPerson(binding: D1Database, row: typeof person.$inferInsert): Promise<boolean> {
  const done = await drizzle(binding).insert(person).values(row).onConflictDoNothing();
  return done.meta.changes > 0;
}

/** Changes a person. Throws when a phone or e-mail belongs to another person. */
export async function updatePerson(
  binding: D1Database,
  id: string,
  change: Partial<Omit<PersonRow, "id" | "accountId">>,
): Promise<void> {
  await drizzle(binding).update(person).set(change).where(eq(person.id, id));
}

/** Sets e-mail and password of a person who has no e-mail; false when there is one, or it belongs to another person. */
export async function addEmail(binding: D1Database, id: string, email: string, password: string): Promise<boolean> {
  // One statement: between a check and a write, another request could take the e-mail.
  const done = await drizzle(binding).run(
    sql`UPDATE OR IGNORE person SET email = ${email}, password = ${password} WHERE id = ${id} AND email IS NULL`,
  );
  return done.meta.changes > 0;
}

/** Sets the phone that replaces a person's phone at a time. */
export async function setNextPhone(binding: D1Database, id: string, nextPhone: string, at: number): Promise<void> {
  await updatePerson(binding, id, { nextPhone, nextPhoneAt: at });
}

/** Stops the change of a person's phone to this one, if it waits. */
export async function dropNextPhone(binding: D1Database, id: string, nextPhone: string): Promise<void> {
  await drizzle(binding)
    .update(person)
    .set({ nextPhone: null, nextPhoneAt: null })
    .where(and(eq(person.id, id), eq(person.nextPhone, nextPhone)));
}

/** The person whose phone becomes this one first, or null. */
export async function personWithNextPhone(binding: D1Database, phone: string): Promise<PersonRow | null> {
  const rows = await drizzle(binding)
    .select()
    .from(person)
    .where(eq(person.nextPhone, phone))
    .orderBy(person.nextPhoneAt)
    .limit(1);
  return rows[0] ?? null;
}

/** People whose next phone is due, at most `max`. */
export function peopleWithDuePhone(binding: D1Database, nowMs: number, max: number): Promise<PersonRow[]> {
  return drizzle(binding)
    .select()
    .from(person)
    .where(and(isNotNull(person.nextPhone), lte(person.nextPhoneAt, nowMs)))
    .limit(max);
}
