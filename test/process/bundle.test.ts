import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { bundleService } from "../../harness/service.mjs";
import { QUIET } from "../../scripts/local.mjs";
import { LOCAL_VARIABLES } from "../../src/local/variables.ts";
import { ROOT, freshDirectory } from "../../harness/program.ts";

// What is deployed, and what is not.

/**
 * The most that the Worker may take, in bytes after gzip -9. Each isolate loads all of it before its first reply, and it starts
 * in proportion: 10 kB more are about 1 % more. What only some pages need can be a static file (src/http/assets.ts), and
 * what no page needs can go. Where neither is so, raise the number by what the change takes, and say in the commit why it is
 * worth that.
 */
const WORKER_BYTES_MAX = 564_000;

function deploy(...args: string[]): { status: number | null; output: string } {
  const wrangler = path.join(ROOT, "node_modules/wrangler/bin/wrangler.js");
  const all = [wrangler, "deploy", "--dry-run", ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, all, { cwd: ROOT, env: QUIET, encoding: "utf8" });
  return { status, output: stdout + stderr };
}

it("npm start and the benchmarks bundle the service as wrangler does, byte for byte", async () => {
  const directory = freshDirectory();
  const { status, output } = deploy("--env", "production", "--outdir", directory);
  expect(status, output).toBe(0);
  // Wrangler's own advice to repeat local variables in the deployment would be a warning.
  expect(output).not.toMatch(/warning/iu);
  const deployed = readFileSync(path.join(directory, "worker.js"), "utf8");
  expect((await bundleService()) === deployed.replace(/\/\/# sourceMappingURL=\S+\n?$/u, "")).toBe(true);
  for (const value of Object.values(LOCAL_VARIABLES)) expect(deployed.includes(value), value).toBe(false);
  const secretsBeginWith = "for-this-machine";
  expect(deployed).not.toContain(secretsBeginWith);
  expect(gzipSync(deployed, { level: 9 }).length).toBeLessThanOrEqual(WORKER_BYTES_MAX);
});

it.each([[], ["--env", ""]])("wrangler deploy %s does not put the local configuration online", (...args) => {
  const { status, output } = deploy(...args);
  expect(status).not.toBe(0);
  expect(output).toContain("Deploy with: npm run deploy");
});
