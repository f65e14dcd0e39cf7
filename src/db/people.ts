import { and, eq, gt, lt, ne, sql } from "drizzle-orm";
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

export async function insertSession(binding: D1Database, row: SessionRow): Promise<void> {
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
export async function insertPerson(binding: D1Database, row: PersonRow): Promise<boolean> {
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

/** Sets a person's e-mail and password; false when the e-mail belongs to another person. */
export async function setEmail(binding: D1Database, id: string, email: string, password: string): Promise<boolean> {
  // One statement: between a check and a write, another request could take the e-mail.
  const done = await drizzle(binding).run(
    sql`UPDATE OR IGNORE person SET email = ${email}, password = ${password} WHERE id = ${id}`,
  );
  return done.meta.changes > 0;
}

/** Sets e-mail and password of a person who has no e-mail; false when there is one, or it belongs to another person. */
export async function addEmail(binding: D1Database, id: string, email: string, password: string): Promise<boolean> {
  const done = await drizzle(binding).run(
    sql`UPDATE OR IGNORE person SET email = ${email}, password = ${password} WHERE id = ${id} AND email IS NULL`,
  );
  return done.meta.changes > 0;
}

/** Sets a person's phone; false when it belongs to another person. */
export async function setPhone(binding: D1Database, id: string, phone: string): Promise<boolean> {
  const done = await drizzle(binding).run(sql`UPDATE OR IGNORE person SET phone = ${phone} WHERE id = ${id}`);
  return done.meta.changes > 0;
}
