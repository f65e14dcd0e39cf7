import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { expect, inject, it, onTestFinished } from "vitest";
import { ROOT } from "../../harness/program.ts";

// The short form of `npm run torture`: about twenty seconds with every kind of fault, and then the proof.

it.each([
  ["one carrier", []],
  ["three carriers and routes that change", ["--carriers", "3"]],
])("loses, doubles and miscounts nothing under faults of every kind, with %s", async (_, more) => {
  const seed = String(inject("seed"));
  const short = ["--minutes", "0.35", "--accounts", "16", "--gap", "0.8", "--pace", "2", "--seed", seed, ...more];
  const run = spawn(process.execPath, [path.join(ROOT, "torture/run.ts"), ...short], { cwd: ROOT });
  onTestFinished(() => void run.kill());
  let verdict = "";
  for (const stream of [run.stdout, run.stderr]) stream.setEncoding("utf8").on("data", (text) => (verdict += text));
  const [code] = await once(run, "close");
  expect(code, verdict).toBe(0);
  expect(verdict).toContain("PROVED");
});
