// npm test: the one gate. Each step is a command that can also be run alone; the first that fails ends it.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { QUIET, ROOT } from "./local.mjs";

const STEPS = [
  ["types are fresh", "wrangler", ["types", "src/env.d.ts", "--include-runtime=false", "--strict-vars=false", "--check"]],
  ["typecheck", "tsc", ["-p", "tsconfig.json"]],
  ["typecheck of the tests", "tsc", ["-p", "test/tsconfig.json"]],
  ["lint", "oxlint", ["--type-aware", "--deny-warnings"]],
  ["format", "prettier", ["--check", "--log-level", "warn", "."]],
  ["deployable bundle", "wrangler", ["deploy", "--dry-run", "--outdir", path.join(".wrangler", "bundle")]],
  ["tests", "vitest", ["run", ...process.argv.slice(2)]],
];

for (const [name, command, args] of STEPS) {
  const startedAt = performance.now();
  const last = command === "vitest";
  const { status, stdout, stderr } = spawnSync(path.join(ROOT, "node_modules/.bin", command), args, {
    cwd: ROOT,
    env: last ? process.env : QUIET,
    stdio: last ? "inherit" : ["ignore", "pipe", "pipe"],
    encoding: "utf8",
  });
  if (status !== 0) {
    console.error(`${stdout ?? ""}${stderr ?? ""}\nnpm test: ${name} failed (${[command, ...args].join(" ")}).`);
    process.exit(status ?? 1);
  }
  console.log(`✓ ${name}, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}
