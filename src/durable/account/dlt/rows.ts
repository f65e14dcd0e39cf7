import { Rules } from "../../../dlt/judge.ts";
import type { DltTemplate, DltTerms, KeptDlt } from "../../../model/carrier/dlt.ts";
import { number, text } from "../../rows.ts";

// An account's DLT registry as rows (contract §17.1): its terms, and its templates in pieces that are far below the limit
// of a row, so that a registry of 10 MB is some twenty rows. What is matched is compiled once, and stays in memory.

/** Characters of templates in one row: at most three bytes each, and a row has at most 2 MB. */
const PIECE_CHARS = 500_000;

const EMPTY: KeptDlt = { entityId: null, enforce: "off", headers: [], otp: null, templates: [], updatedAt: null };

function readTerms(sql: SqlStorage): (DltTerms & { updatedAt: number }) | null {
  const row = sql.exec("SELECT updated_at, terms FROM dlt").toArray()[0];
  return row ? { ...(JSON.parse(text(row, "terms")) as DltTerms), updatedAt: number(row, "updated_at") } : null;
}

/** The registry; empty and `off` until it is first set. */
export function readDlt(sql: SqlStorage): KeptDlt {
  const terms = readTerms(sql);
  if (!terms) return EMPTY;
  const rows = sql.exec("SELECT templates FROM dlt_templates ORDER BY first");
  const templates: DltTemplate[] = [];
  for (const row of rows) templates.push(...(JSON.parse(text(row, "templates")) as DltTemplate[]));
  return { ...terms, templates };
}

/** When the registry changed last, in ms; 0 before the first time. */
export function dltUpdatedAt(sql: SqlStorage): number {
  const row = sql.exec("SELECT updated_at FROM dlt").toArray()[0];
  return row ? number(row, "updated_at") : 0;
}

/** The templates as JSON in pieces, each with the number of its first one. */
function* piecesOf(templates: readonly DltTemplate[]): Generator<{ first: number; piece: string }> {
  let first = 0;
  let texts: string[] = [];
  let chars = 0;
  for (const template of templates) {
    const one = JSON.stringify(template);
    if (texts.length > 0 && chars + one.length > PIECE_CHARS) {
      yield { first, piece: `[${texts.join(",")}]` };
      first += texts.length;
      texts = [];
      chars = 0;
    }
    texts.push(one);
    chars += one.length + 1;
  }
  if (texts.length > 0) yield { first, piece: `[${texts.join(",")}]` };
}

/** Replaces the registry. */
export function writeDlt(sql: SqlStorage, { templates, updatedAt, ...terms }: KeptDlt): void {
  sql.exec("INSERT OR REPLACE INTO dlt (id, updated_at, terms) VALUES (1, ?, ?)", updatedAt, JSON.stringify(terms));
  sql.exec("DELETE FROM dlt_templates");
  for (const { first, piece } of piecesOf(templates)) {
    sql.exec("INSERT INTO dlt_templates (first, templates) VALUES (?, ?)", first, piece);
  }
  forgetDlt(sql);
}

/** What is matched, by storage: null where nothing is. */
const rules = new WeakMap<SqlStorage, Rules | null>();

/** What an account's Indian messages are matched with; null where they are not. Storage is read once. */
export function rulesOf(sql: SqlStorage): Rules | null {
  const known = rules.get(sql);
  if (known !== undefined) return known;
  const isOff = (readTerms(sql)?.enforce ?? "off") === "off";
  const made = isOff ? null : new Rules(readDlt(sql));
  rules.set(sql, made);
  return made;
}

/** Forgets what is in memory, because storage may differ from it. */
export function forgetDlt(sql: SqlStorage): void {
  rules.delete(sql);
}
