// Minutes of everything that can go wrong, and then the proof: npm run torture -- --minutes 3 --seed 42.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { Run } from "./campaign.ts";
import { regimeOf } from "./settings.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "3" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
    accounts: { type: "string", default: "40" },
    /** Mean seconds between two faults. */
    gap: { type: "string", default: "4" },
    /** Factor on the usual rate of orders. */
    pace: { type: "string", default: "1" },
    /** Instead of what the seed chooses: whether the gateway recognises references, and the rate set for it. */
    dedupes: { type: "string" },
    tps: { type: "string" },
    /** One gateway, or three carriers of different kinds and routes. */
    carriers: { type: "string", default: "1" },
    keep: { type: "boolean", default: false },
  },
});

const say = (line: string) => process.stdout.write(`${line}\n`);

const minutes = Number(values.minutes);
const accounts = Number(values.accounts);
const gapSec = Number(values.gap);
const pace = Number(values.pace);
const drawn = regimeOf(values.seed);
const dedupes = values.dedupes === undefined ? drawn.dedupes : values.dedupes === "on";
const carriers = values.carriers === "3" ? 3 : 1;
const tps = values.tps === undefined ? drawn.tps : values.tps === "none" ? null : Number(values.tps);
if (
  !(minutes > 0 && accounts >= 1 && accounts <= 100 && gapSec > 0 && pace > 0 && (tps === null || tps >= 1)) ||
  !/^[13]$/u.test(values.carriers)
) {
  say("usage: npm run torture -- [--minutes 3] [--seed N] [--accounts 40] [--gap 4] [--pace 1]");
  say("                          [--dedupes on|off] [--tps N|none] [--carriers 1|3] [--keep]");
  process.exit(2);
}

const directory = mkdtempSync(path.join(os.tmpdir(), "dastak-torture-"));
const same = {
  minutes,
  seed: values.seed,
  accounts,
  gap: gapSec,
  pace,
  dedupes: dedupes ? "on" : "off",
  tps: tps ?? "none",
  carriers,
};
const again = Object.entries(same).map(([name, value]) => `--${name} ${value}`);
say(`seed ${values.seed}, ${minutes} min, ${accounts} accounts; everything is written to ${directory}`);

// On a signal, exit normally, so that the exit handlers stop the service.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const run = new Run({
  directory,
  seed: values.seed,
  durationMs: minutes * 60_000,
  accounts,
  gapMs: gapSec * 1_000,
  pace,
  regime: { dedupes, tps, carriers },
  say,
});
let code = 1;
try {
  await run.torture();
  writeFileSync(path.join(directory, "books.json"), JSON.stringify(await run.books()));
  const checker = spawn(process.execPath, [path.join(import.meta.dirname, "check.ts"), directory], {
    stdio: "inherit",
  });
  [code] = (await once(checker, "exit")) as [number];
} finally {
  await run.end();
  if (code === 0 && !values.keep) rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  else say(`Kept: ${directory}\nThe same again: npm run torture -- ${again.join(" ")}`);
}
process.exit(code);
