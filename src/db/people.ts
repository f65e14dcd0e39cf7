import { and, eq, gt, lt, ne, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { person, session } from "./schema.ts";

// People and their sessions in D1. Every query about them stands here or in src/db/sign-in.ts.

export type PersonRow = typeof person.$inferSelect;
type SessionRow = typeof session.$inferSelect;

/** A session that has not ended, with its person; `person` is null where the operator holds it. */
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

/** Notes that a session was used, and until when it goes on. */
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

/** Ends every session of a holder, but for the one with `exceptHash`. */
export async function deleteSessionsOf(binding: D1Database, holder: string, exceptHash = ""): Promise<void> {
  await drizzle(binding)
    .delete(session)
    .where(and(eq(session.holder, holder), ne(session.hash, exceptHash)));
}

/** The sessions of a holder that have not ended, newest use first. */
export async function sessionsOf(binding: D1Database, holder: string, nowMs: number): Promise<SessionRow[]> {
  return drizzle(binding)
    .select()
    .from(session)
    .where(and(eq(session.holder, holder), gt(session.expiresAt, nowMs)))
    .orderBy(sql`${session.seenAt} DESC`);
}

/** Forgets sessions that have ended. */
export async function forgetOldSessions(binding: D1Database, nowMs: number): Promise<void> {
  await drizzle(binding).delete(session).where(lt(session.expiresAt, nowMs));
}

/** A person by what is unique about them, or null. */
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

/** Adds a person, unless their phone, e-mail or account is somebody's already; false then. */
export async function insertPerson(binding: D1Database, row: PersonRow): Promise<boolean> {
  const done = await drizzle(binding).insert(person).values(row).onConflictDoNothing();
  return done.meta.changes > 0;
}

/** Changes a person. Throws where a phone or e-mail is somebody else's. */
export async function updatePerson(
  binding: D1Database,
  id: string,
  change: Partial<Omit<PersonRow, "id" | "accountId">>,
): Promise<void> {
  await drizzle(binding).update(person).set(change).where(eq(person.id, id));
}

/** Gives a person an e-mail and a password, unless the e-mail is somebody else's; false then. */
export async function setEmail(binding: D1Database, id: string, email: string, password: string): Promise<boolean> {
  // One statement: between a look and a write somebody else could take it.
  const done = await drizzle(binding).run(
    sql`UPDATE OR IGNORE person SET email = ${email}, password = ${password} WHERE id = ${id}`,
  );
  return done.meta.changes > 0;
}

/** Gives an e-mail and a password to a person who has no e-mail, unless it is somebody else's; false then. */
export async function addEmail(binding: D1Database, id: string, email: string, password: string): Promise<boolean> {
  const done = await drizzle(binding).run(
    sql`UPDATE OR IGNORE person SET email = ${email}, password = ${password} WHERE id = ${id} AND email IS NULL`,
  );
  return done.meta.changes > 0;
}

/** Gives a person another phone, unless it is somebody else's; false then. */
export async function setPhone(binding: D1Database, id: string, phone: string): Promise<boolean> {
  const done = await drizzle(binding).run(sql`UPDATE OR IGNORE person SET phone = ${phone} WHERE id = ${id}`);
  return done.meta.changes > 0;
}
