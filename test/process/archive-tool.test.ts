import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Line } from "../../src/archive/tally.ts";
import { digestOf } from "../../src/archive/verify.ts";
import { FileWriter } from "../../src/archive/writer.ts";

// The tool that reads files of the archive without the service.

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "dastak-archive-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const SCRIPT = path.resolve(import.meta.dirname, "../../scripts/archive.mjs");
const run = (...names: string[]) =>
  spawnSync(process.execPath, [SCRIPT, ...names.map((name) => path.join(folder, name))], { encoding: "utf8" });

const CREATED = { created_at: Date.UTC(2026, 0, 2), request_id: null };
const LINES: Line[] = [
  {
    kind: "ledger_entry",
    row: { seq: 1, type: "credit", amount: 50_000, balance_after: 50_000, reference: "=opening", ...CREATED },
  },
  { kind: "job", row: { seq: 2, debit: 20_000, balance_after: 30_000, ...CREATED } },
  { kind: "job", row: { seq: 3, debit: null, balance_after: 30_000, ...CREATED } },
  {
    kind: "ledger_entry",
    row: { seq: 4, type: "refund", amount: 10_000, balance_after: 40_000, reference: "refund:2.0", ...CREATED },
  },
];

/** Writes a file of lines, and its manifest. */
async function write(name: string, lines: Line[], after: { seq: number; balance: number }, changed: object = {}) {
  const writer = new FileWriter(after);
  await writer.add(lines);
  const { file, ndjson, totals } = await writer.end();
  writeFileSync(path.join(folder, `${name}.ndjson.gz`), file);
  const manifest = {
    version: 1,
    account: "a",
    mode: "live",
    month: "2026-01",
    ...totals,
    ndjson,
    file: digestOf(file),
  };
  writeFileSync(path.join(folder, `${name}.json`), JSON.stringify({ ...manifest, ...changed }));
}

/** What the tool says of files that it refuses. */
function refused(names: string[]): string {
  const { status, stderr } = run(...names);
  expect(status).toBe(1);
  return stderr.trim();
}

it("writes the ledger of files that follow each other as CSV", async () => {
  await write("one", LINES.slice(0, 2), { seq: 0, balance: 0 });
  await write("two", LINES.slice(2), { seq: 2, balance: 30_000 });
  const { status, stdout } = run("one.ndjson.gz", "two.ndjson.gz");
  expect(stdout.split("\n")).toEqual([
    "seq,at,type,units,balance_after,reference,request_id",
    `1,"2026-01-02T00:00:00.000Z","credit",50000,50000,"'=opening",`,
    `2,"2026-01-02T00:00:00.000Z","debit",-20000,30000,,`,
    `4,"2026-01-02T00:00:00.000Z","refund",10000,40000,"refund:2.0",`,
    "",
  ]);
  expect(status).toBe(0);
});

it("refuses files in another order, one that is not its manifest's, and none", async () => {
  await write("one", LINES.slice(0, 2), { seq: 0, balance: 0 });
  await write("two", LINES.slice(2), { seq: 2, balance: 30_000 });
  await write("wrong", LINES.slice(2), { seq: 2, balance: 30_000 }, { last: 5 });
  expect(refused(["two.ndjson.gz", "one.ndjson.gz"])).toMatch(/one\.ndjson\.gz: line 1 follows line 4$/u);
  expect(refused(["wrong.ndjson.gz"])).toMatch(/last in the manifest is not that of the lines$/u);
  expect(refused([])).toMatch(/^Name the files/u);
});
