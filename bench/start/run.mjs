// npm run bench:start -- [--rounds N] FILE…: what a new isolate takes until its first reply, of this Worker and of other
// bundles (worker.js of `wrangler deploy --dry-run --outdir`), such as that of an earlier commit. In processor time of the
// runtime, since other programs on the machine stretch the time on the clock. Each round is a runtime of its own, which
// has loaded another Worker before; the order alternates.
import { readFileSync, readdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { Log, LogLevel, Miniflare, convertV4MiniflareOptions } from "miniflare";
import { VARIABLES, bundleService } from "../../harness/service.mjs";
import { readConfig } from "../../scripts/local.mjs";

const { values, positionals: files } = parseArgs({
  options: { rounds: { type: "string", default: "20" } },
  allowPositionals: true,
});
const { compatibility_date: compatibilityDate, compatibility_flags: compatibilityFlags } = readConfig();

/** Loads the runtime's own modules, which the first Worker of a runtime would pay for. */
const WARM =
  'import "node:buffer"; import "node:crypto"; import "node:zlib"; export default { fetch: () => new Response() };';

/** A Worker that loads a bundle into a new isolate for each request, and answers when that one has. */
const LOADER = `
export default {
  async fetch(request, { LOADER, BUNDLES, VARIABLES }) {
    const name = decodeURIComponent(new URL(request.url).pathname.slice(1));
    const loaded = LOADER.get(crypto.randomUUID(), () => ({
      compatibilityDate: ${JSON.stringify(compatibilityDate)},
      compatibilityFlags: ${JSON.stringify(compatibilityFlags)},
      mainModule: "worker.js",
      modules: { "worker.js": BUNDLES[name] },
      env: VARIABLES,
    }));
    const { status } = await loaded.getEntrypoint().fetch(VARIABLES.SMS_URL + "/healthz");
    return new Response(null, { status });
  },
};`;

/** The runtime's process: the newest child of this one. */
function runtimeOf() {
  const children = readdirSync("/proc/self/task").flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, "utf8").trim().split(" ").map(Number),
  );
  return Math.max(...children);
}

/** Milliseconds that the threads of a process have run (Linux, proc(5)). */
function ranMs(pid) {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const ns = tasks.map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]));
  return ns.reduce((sum, one) => sum + one, 0) / 1e6;
}

/** The processor time of one start of each bundle, in this order. */
async function round(bundles, order) {
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      log: new Log(LogLevel.NONE),
      workers: [
        {
          name: "loader",
          compatibilityDate,
          compatibilityFlags,
          modules: [{ type: "ESModule", path: "loader.js", contents: LOADER }],
          bindings: { BUNDLES: { ...bundles, warm: WARM }, VARIABLES },
          workerLoaders: { LOADER: {} },
        },
      ],
    }),
  );
  const address = await runtime.ready;
  const pid = runtimeOf();
  const took = {};
  for (const name of ["warm", "warm", ...order]) {
    const before = ranMs(pid);
    const { status } = await fetch(new URL(encodeURIComponent(name), address));
    if (status !== 200) throw new Error(`${name} answered ${status}`);
    took[name] = ranMs(pid) - before;
  }
  await runtime.dispose();
  return took;
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

const bundles = Object.fromEntries(files.map((file) => [file, readFileSync(file, "utf8")]));
bundles["this"] = await bundleService();
const names = Object.keys(bundles);
const rounds = [];
for (let at = 0; at < Number(values.rounds); at++) {
  rounds.push(await round(bundles, at % 2 === 0 ? names : names.toReversed()));
}
console.log("| bundle | gzip -9, bytes | min, ms | median, ms | this / it: min | median of rounds |");
console.log("| --- | ---: | ---: | ---: | ---: | ---: |");
const leastOf = (name) => Math.min(...rounds.map((one) => one[name]));
for (const name of names) {
  const times = rounds.map((one) => one[name]);
  const ratios = [leastOf("this") / leastOf(name), median(rounds.map((one) => one["this"] / one[name]))];
  const figures = [Math.min(...times).toFixed(1), median(times).toFixed(1), ...ratios.map((ratio) => ratio.toFixed(2))];
  console.log(`| ${[name, gzipSync(bundles[name], { level: 9 }).length, ...figures].join(" | ")} |`);
}
