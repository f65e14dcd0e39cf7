// npm run archive -- FILE…: verifies files of the archive that follow each other, without the service, and writes their
// ledger as CSV to standard output. A manifest beside a file (.json instead of .ndjson.gz) is compared with it.
import { existsSync, readFileSync } from "node:fs";
import { Tally } from "../src/archive/tally.ts";
import { faultOf, linesIn } from "../src/archive/verify.ts";

/** Ends with an error. */
function stop(why) {
  console.error(why);
  process.exit(1);
}

const files = process.argv.slice(2);
if (files.length === 0) stop("Name the files: npm run archive -- 2026-11-1.ndjson.gz …");

/** A cell of CSV; a text that a spreadsheet would take for a formula gets an apostrophe. */
function cell(value) {
  if (typeof value !== "string") return value ?? "";
  return `"${value.replace(/^(?=[=+\-@])/u, "'").replaceAll('"', '""')}"`;
}

/** The columns of a ledger entry; null for a job that is no debit. */
function entryOf({ kind, row }) {
  if (kind === "job" && row.debit === null) return null;
  const [type, amount] = kind === "job" ? ["debit", 0 - row.debit] : [row.type, row.amount];
  const at = new Date(row.created_at).toISOString();
  return [row.seq, at, type, amount, row.balance_after, row.reference, row.request_id];
}

let tally = null;
console.log("seq,at,type,units,balance_after,reference,request_id");
for (const file of files) {
  const bytes = new Uint8Array(readFileSync(file));
  const beside = file.replace(/\.ndjson\.gz$/u, ".json");
  if (beside !== file && existsSync(beside)) {
    const fault = await faultOf(bytes, JSON.parse(readFileSync(beside, "utf8")));
    if (fault !== null) stop(`${file}: ${fault}`);
  }
  try {
    for await (const line of linesIn(bytes)) {
      // The first line says where the files begin.
      tally ??= new Tally({ seq: line.row.seq - 1, balance: line.row.balance_after - (entryOf(line)?.[3] ?? 0) });
      tally.add(line);
      const entry = entryOf(line);
      if (entry) console.log(entry.map(cell).join(","));
    }
  } catch (problem) {
    stop(`${file}: ${problem.message}`);
  }
}
