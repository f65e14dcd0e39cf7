// npm test: the one gate. Each step is a command that can also be run alone; the first that fails ends it.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { BUILT, CHECKS, WHOLE } from "./checks.mjs";
import { QUIET, ROOT } from "./local.mjs";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
if (![process.env.CHROMIUM ?? "", ...CHROMIUM].some((place) => place !== "" && existsSync(place))) {
  const how = "install it with: apt-get install chromium, or name it in CHROMIUM";
  if (process.env.CI) {
    console.error(`npm test: there is no Chromium for the browser tests; ${how}.`);
    process.exit(1);
  }
  console.log(`There is no Chromium, so the browser tests are skipped; ${how}.`);
}

/** The languages of the documentation's samples, by their Debian packages; test/process/docs-samples.test.ts runs them. */
const LANGUAGES = {
  curl: "curl",
  python3: "python3",
  php: "php-cli php-curl",
  go: "golang-go",
  ruby: "ruby",
  java: "default-jdk-headless",
};
const absent = Object.keys(LANGUAGES).filter((command) => spawnSync("which", [command]).status !== 0);
if (absent.length > 0) {
  const packages = absent.map((command) => LANGUAGES[command]).join(" ");
  console.log(
    `Samples in these languages are not run: ${absent.join(", ")}; install them with: apt-get install ${packages}.`,
  );
}

function run(command, args, options) {
  const file = path.join(ROOT, "node_modules/.bin", command);
  return spawnSync(file, args, { cwd: ROOT, encoding: "utf8", ...options });
}

for (const [name, line] of Object.entries({ ...BUILT, ...CHECKS, ...WHOLE })) {
  const startedAt = performance.now();
  const [command, ...args] = line.split(" ");
  const { status, stdout, stderr } = run(command, args, { env: QUIET, stdio: ["ignore", "pipe", "pipe"] });
  if (status !== 0) {
    console.error(`${stdout}${stderr}\nnpm test: ${name} failed (${line}).`);
    process.exit(status ?? 1);
  }
  console.log(`✓ ${name}, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}
process.exitCode = run("vitest", ["run", ...process.argv.slice(2)], { stdio: "inherit" }).status ?? 1;
