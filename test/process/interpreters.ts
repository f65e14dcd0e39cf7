import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { freshDirectory } from "../../harness/program.ts";
import type { Language } from "../../src/samples/sample.ts";

// The interpreters of the samples. One that is not installed leaves out its tests, by name.

const run = promisify(execFile);

interface Interpreter {
  /** The program, and how its version is asked for. */
  command: string;
  version: string;
  /** The name under which a sample is saved. */
  file: string;
  args: readonly string[];
}

const INTERPRETERS: Record<Language, Interpreter> = {
  curl: { command: "sh", version: "-c true", file: "sample.sh", args: [] },
  node: { command: process.execPath, version: "--version", file: "sample.mjs", args: [] },
  python: { command: "python3", version: "--version", file: "sample.py", args: [] },
  php: { command: "php", version: "--version", file: "sample.php", args: [] },
  go: { command: "go", version: "version", file: "main.go", args: ["run"] },
  java: { command: "java", version: "--version", file: "Main.java", args: ["-XX:TieredStopAtLevel=1"] },
  ruby: { command: "ruby", version: "--version", file: "sample.rb", args: [] },
};

const succeeds = (command: string, ...args: string[]) => spawnSync(command, args, { stdio: "ignore" }).status === 0;

/** Whether samples of the language can run here. PHP needs its curl extension. */
export function isInstalled(language: Language): boolean {
  const { command, version } = INTERPRETERS[language];
  if (language === "curl") return succeeds("curl", "--version");
  if (language === "php") return succeeds("php", "-r", "exit(function_exists('curl_init') ? 0 : 1);");
  return succeeds(command, ...version.split(" "));
}

const folder = freshDirectory();

/** Runs a program as its reader would: saved to a file, in a directory with these other files. Returns its output. */
export async function runSample(
  language: Language,
  code: string,
  { env = {}, files = {} }: { env?: Record<string, string>; files?: Record<string, string | Uint8Array> } = {},
): Promise<string> {
  const { command, file, args } = INTERPRETERS[language];
  const cwd = mkdtempSync(path.join(folder, `${language}-`));
  for (const [name, content] of Object.entries({ ...files, [file]: code })) {
    writeFileSync(path.join(cwd, name), content);
  }
  const sources = Object.keys(files).filter((name) => name.endsWith(path.extname(file)) && language === "go");
  const { stdout } = await run(command, [...args, ...sources, file], { cwd, env: { ...process.env, ...env } });
  return stdout;
}
