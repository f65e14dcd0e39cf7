import { and, asc, desc, eq, inArray, lte, notInArray, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { LeavingState } from "../model/leaving.ts";
import type { AccountRef } from "../model/ref.ts";
import {
  account,
  auditEntry,
  challenge,
  deadLetter,
  erasure,
  invoice,
  paymentOrder,
  person,
  session,
} from "./schema.ts";
import { longWait } from "./health/schema.ts";
import { messageGroup } from "./history-schema.ts";
import type { InvoiceTerms } from "./schema.ts";

// What D1 knows of accounts that leave, and the deletion of all that it has of them. Every statement may be repeated.

export type ErasureRow = typeof erasure.$inferSelect;

/** An account that leaves, or null. */
export async function erasureOf(binding: D1Database, accountId: string): Promise<ErasureRow | null> {
  const rows = await drizzle(binding).select().from(erasure).where(eq(erasure.accountId, accountId));
  return rows[0] ?? null;
}

/** Closings of which another one may take the place. */
const OPEN: readonly LeavingState[] = ["asked", "closing", "kept"];

/** Notes that an account is to be closed; false, without any change, when its erasure has begun. */
export async function askClosing(
  binding: D1Database,
  row: Pick<ErasureRow, "accountId" | "personId" | "by" | "givenUpMax" | "askedAt" | "closesAt" | "checkAt">,
): Promise<boolean> {
  const fresh = { ...row, state: "asked" as const, hindrance: null };
  const { accountId: _key, ...set } = fresh;
  const done = await drizzle(binding)
    .insert(erasure)
    .values(fresh)
    .onConflictDoUpdate({ target: erasure.accountId, set, setWhere: inArray(erasure.state, [...OPEN]) });
  return done.meta.changes > 0;
}

/** What changes with a step. */
export type ErasureChange = Partial<Omit<ErasureRow, "accountId" | "personId" | "by">>;

/**
 * Takes an account that leaves from one of these states to the next; false, without any change, when it is in none of
 * them, or when it closes at another time by now. The one decision of each race: D1 runs one statement at a time.
 */
export async function moveErasure(
  binding: D1Database,
  { accountId, closesAt }: Pick<ErasureRow, "accountId" | "closesAt">,
  from: readonly LeavingState[],
  change: ErasureChange,
): Promise<boolean> {
  const done = await drizzle(binding)
    .update(erasure)
    .set(change)
    .where(and(eq(erasure.accountId, accountId), eq(erasure.closesAt, closesAt), inArray(erasure.state, [...from])));
  return done.meta.changes > 0;
}

/** Forgets a closing that was taken back. */
export async function dropKept(binding: D1Database, accountId: string): Promise<void> {
  await drizzle(binding)
    .delete(erasure)
    .where(and(eq(erasure.accountId, accountId), eq(erasure.state, "kept")));
}

/** Accounts that the periodic work must look at, longest due first. */
export function dueErasures(binding: D1Database, nowMs: number, limit: number): Promise<ErasureRow[]> {
  return drizzle(binding)
    .select()
    .from(erasure)
    .where(lte(erasure.checkAt, nowMs))
    .orderBy(asc(erasure.checkAt))
    .limit(limit);
}

/** A page of the accounts that leave and that left, newest first, beyond a place; null begins with the newest. */
export function erasuresBefore(
  binding: D1Database,
  before: { askedAt: number; accountId: string } | null,
  limit: number,
): Promise<ErasureRow[]> {
  const place = before && sql`(${erasure.askedAt}, ${erasure.accountId}) < (${before.askedAt}, ${before.accountId})`;
  return drizzle(binding)
    .select()
    .from(erasure)
    .where(place ?? undefined)
    .orderBy(desc(erasure.askedAt), desc(erasure.accountId))
    .limit(limit);
}

/** An invoice that stays after its account, with what it takes to find it. */
export interface KeptInvoice {
  accountId: string;
  orderId: string;
  year: string;
  number: number;
  issuedAt: number;
  terms: InvoiceTerms;
  amountPaise: number;
}

/** The invoices of these accounts, newest first. */
export function invoicesOf(binding: D1Database, accountIds: readonly string[]): Promise<KeptInvoice[]> {
  return drizzle(binding)
    .select({
      accountId: paymentOrder.accountId,
      orderId: paymentOrder.id,
      year: invoice.year,
      number: invoice.number,
      issuedAt: invoice.issuedAt,
      terms: invoice.terms,
      amountPaise: paymentOrder.amountPaise,
    })
    .from(invoice)
    .innerJoin(paymentOrder, eq(paymentOrder.id, invoice.orderId))
    .where(inArray(paymentOrder.accountId, [...accountIds]))
    .orderBy(desc(invoice.issuedAt));
}

/** Deletes the sessions of a person and the codes that were sent to these phones. */
export async function eraseSignIns(binding: D1Database, personId: string, phones: readonly string[]): Promise<void> {
  const db = drizzle(binding);
  await db.batch([
    db.delete(session).where(eq(session.holder, personId)),
    db
      .delete(challenge)
      .where(sql`${inArray(challenge.phone, [...phones])} OR ${challenge.payload} ->> 'personId' = ${personId}`),
  ]);
}

/** Deletes these counters of attempts. */
export async function eraseAttempts(binding: D1Database, buckets: readonly string[]): Promise<void> {
  await drizzle(binding).run(
    sql`DELETE FROM attempt WHERE bucket IN (SELECT value FROM json_each(${JSON.stringify(buckets)}))`,
  );
}

/** Deletes a person, with the buyer for future invoices. */
export async function erasePerson(binding: D1Database, personId: string): Promise<void> {
  await drizzle(binding).delete(person).where(eq(person.id, personId));
}

/** Deletes an account from the list of accounts, in both modes, and from that of accounts with messages that wait. */
export async function eraseListed(binding: D1Database, accountId: string): Promise<void> {
  const db = drizzle(binding);
  await db.batch([
    db.delete(account).where(eq(account.accountId, accountId)),
    db.delete(longWait).where(eq(longWait.accountId, accountId)),
  ]);
}

/** Deletes at most `limit` groups of an account's history, along its primary key; whether none is left. */
export async function eraseHistory(
  binding: D1Database,
  { accountId, mode }: AccountRef,
  limit: number,
): Promise<boolean> {
  const own = and(eq(messageGroup.accountId, accountId), eq(messageGroup.mode, mode));
  const some = drizzle(binding)
    .select({ kind: messageGroup.kind, seq: messageGroup.seq })
    .from(messageGroup)
    .where(own)
    .limit(limit);
  const done = await drizzle(binding)
    .delete(messageGroup)
    .where(and(own, sql`(${messageGroup.kind}, ${messageGroup.seq}) IN ${some}`));
  return done.meta.changes < limit;
}

/** Deletes the dead letters of an account's objects; at most DEAD_LETTERS_MAX letters are kept, so the table is small. */
export async function eraseLetters(binding: D1Database, objects: readonly string[]): Promise<void> {
  await drizzle(binding)
    .delete(deadLetter)
    .where(inArray(sql`${deadLetter.body} ->> 'account'`, [...objects]));
}

/** Details of acts that are, or may contain, what a person is called or writes, or what they use. */
const PERSONAL = ["name", "device", "from", "to", "note"] as const;

/**
 * Takes what is personal out of at most `limit` acts of an account: names, notes, browsers, and the marks of addresses and
 * sessions of the customer. What was done, when, and by which id stays. Whether none is left.
 */
export async function redactActs(binding: D1Database, accountId: string, limit: number): Promise<boolean> {
  const { id, details, subject, address, session: sessionMark, actorKind, action } = auditEntry;
  const paths = sql.join(
    PERSONAL.map((name) => sql`${`$.${name}`}`),
    sql`, `,
  );
  const bare = sql`json_remove(${details}, ${paths})`;
  const own = sql`${actorKind} = 'customer'`;
  const isNamed = sql`${action} = 'account.opened'`;
  const touched = sql`(${bare} <> json(${details}) OR (${isNamed} AND ${subject} IS NOT NULL)
    OR (${own} AND (${address} IS NOT NULL OR ${sessionMark} IS NOT NULL)))`;
  const db = drizzle(binding);
  const some = db
    .select({ id })
    .from(auditEntry)
    .where(and(eq(auditEntry.accountId, accountId), touched))
    .limit(limit);
  const done = await db
    .update(auditEntry)
    .set({
      details: bare,
      subject: sql`iif(${isNamed}, NULL, ${subject})`,
      address: sql`iif(${own}, NULL, ${address})`,
      session: sql`iif(${own}, NULL, ${sessionMark})`,
    })
    .where(inArray(id, some));
  return done.meta.changes < limit;
}

/** Deletes the buyer of an account's orders: of those without an invoice, or of all once the law keeps none. */
export async function eraseBuyers(binding: D1Database, accountId: string, which: "unpaid" | "all"): Promise<void> {
  const db = drizzle(binding);
  const invoiced = db.select({ id: invoice.orderId }).from(invoice);
  await db
    .update(paymentOrder)
    .set({ buyer: null })
    .where(
      and(eq(paymentOrder.accountId, accountId), which === "all" ? undefined : notInArray(paymentOrder.id, invoiced)),
    );
}
