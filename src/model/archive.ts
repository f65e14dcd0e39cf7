import type { Mode } from "./ref.ts";

// The archive: what is older than the time that an account keeps it leaves the account in files, with a manifest each.

/** The kinds of lines in a file: the tables of the account whose rows they are. */
export const LINE_KINDS = ["job", "ledger_entry"] as const;
export type LineKind = (typeof LINE_KINDS)[number];

/** The types of ledger entries that a file holds. */
export const ENTRY_TYPES = ["debit", "refund", "credit", "adjustment"] as const;
export type EntryType = (typeof ENTRY_TYPES)[number];

/** What bytes are: their number and their SHA-256 in hexadecimal. */
export interface Digest {
  bytes: number;
  sha256: string;
}

/** What lines add up to. */
export interface Totals {
  /** The numbers of the first and of the last line; every number between them has one line. */
  first: number;
  last: number;
  /** How many lines there are of each kind. */
  lines: Record<LineKind, number>;
  /** Units, signed, by the type of the ledger entry. */
  units: Record<EntryType, number>;
  /** Units, before the first line and after the last. */
  balanceBefore: number;
  balanceAfter: number;
}

/** The manifest of a file, in the form in which it is stored beside it. */
export interface Manifest extends Totals {
  version: 1;
  account: string;
  mode: Mode;
  /** The calendar month, UTC, in which its first line was written: 2026-11. */
  month: string;
  /** The lines, before compression. */
  ndjson: Digest;
  /** The file as it is stored. */
  file: Digest;
}

/** A page of an account's files, and where the archive ends. */
export interface ArchivePage {
  /** Oldest first. */
  manifests: Manifest[];
  /** Whether more files follow. */
  hasMore: boolean;
  /** Everything up to this number left the account; the balance after it, in units. */
  checkpoint: { seq: number; balance: number };
}

/** How archiving is going. */
export interface ArchiveState {
  /** When the last run ended, in ms since the epoch; 0: there was none. */
  archivedAt: number;
  /** When the next step is due, in ms since the epoch; null: nothing is old enough. */
  nextAt: number | null;
  /** Runs that failed since the last one that did not, and why the last of them did. */
  failures: number;
  problem: string | null;
}

/** The keys of a file and of its manifest in the bucket of the archive. */
export function archiveKeys(objectName: string, { month, first }: Pick<Manifest, "month" | "first">) {
  const stem = `${objectName}/${month}/${first}`;
  return { file: `${stem}.ndjson.gz`, manifest: `${stem}.json` };
}

/** The name under which a file is listed and downloaded: 2026-11-4711.ndjson.gz. */
export const archiveName = ({ month, first }: Pick<Manifest, "month" | "first">): string =>
  `${month}-${first}.ndjson.gz`;

/** The first number in the name of a file or of its manifest, and which of the two it is; null for any other name. */
export function readArchiveName(name: string): { first: number; part: "file" | "manifest" } | null {
  const [, first, end] = /^\d{4}-\d{2}-([1-9]\d{0,14})\.(ndjson\.gz|json)$/u.exec(name) ?? [];
  return first === undefined ? null : { first: Number(first), part: end === "json" ? "manifest" : "file" };
}
