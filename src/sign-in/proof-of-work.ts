import { createHash } from "node:crypto";
import { mac, randomBytes } from "../crypto/bytes.ts";
import { isProved, secretsOf } from "../crypto/secrets.ts";
import type { GivenSecrets } from "../crypto/secrets.ts";

// Proof of work before a code (hashcash, Back 2002): the browser finds a number whose SHA-256 together with a ticket
// begins with zero bits. A ticket is signed, so that none is stored; it is bound to a phone, a network and a time.

/** Zero bits: 131,072 hashes on average, about a second on a phone. Verifying takes one. */
export const WORK_BITS = 17;

/** How long a ticket is valid. */
const TICKET_TTL_MS = 10 * 60_000;

const ID_SIZE = 8;
const PROOF_SIZE = 12;

export interface Ticket {
  text: string;
  issuedAt: number;
}

/** What a ticket is bound to. */
export interface Binding {
  phone: string;
  network: string | null;
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");

/** Ticket and number together stay below 56 bytes, which SHA-256 takes in one block. */
function proofOf(secret: string, { phone, network }: Binding, head: string): Uint8Array {
  return mac(secret, "ticket/v1", `${head}\0${phone}\0${network ?? ""}`, PROOF_SIZE);
}

export function issueTicket(secrets: GivenSecrets, binding: Binding, nowMs: number): Ticket {
  const head = `${base64(randomBytes(ID_SIZE))}.${nowMs.toString(36)}`;
  return { text: `${head}.${base64(proofOf(secretsOf(secrets).current.value, binding, head))}`, issuedAt: nowMs };
}

/** The ticket of a form; null when it is not genuine, for another phone or network, or too old. */
export function readTicket(secrets: GivenSecrets, binding: Binding, text: string, nowMs: number): Ticket | null {
  const [, head = "", time = "", proof = ""] = /^([\w-]{11}\.([0-9a-z]{1,11}))\.([\w-]{16})$/u.exec(text) ?? [];
  const given = Buffer.from(proof, "base64url");
  if (!isProved(secrets, given, (secret) => proofOf(secret, binding, head))) return null;
  const issuedAt = Number.parseInt(time, 36);
  return nowMs - issuedAt < TICKET_TTL_MS ? { text, issuedAt } : null;
}

/** Whether this number proves the work for a ticket. */
export function provesWork(ticket: Ticket, number: string, bits = WORK_BITS): boolean {
  if (!/^[0-9]{1,15}$/u.test(number)) return false;
  const hash = createHash("sha256").update(`${ticket.text}.${number}`).digest();
  return hash.readUInt32BE(0) >>> (32 - bits) === 0;
}
