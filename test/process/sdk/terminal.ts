import { execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { once } from "node:events";
import { onTestFinished } from "vitest";

// The program `dastak` as a script runs it: no terminal, two pipes, and a status.

/** A Node of release 20, the oldest that the package promises; most systems have it under this name. */
export const NODE_20 = [process.env["NODE_20"] ?? "", "/usr/bin/node", "/usr/local/bin/node"].find(
  (program) => existsSync(program) && execFileSync(program, ["--version"], { encoding: "utf8" }).startsWith("v20."),
);

export interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** How the program is run. */
export interface Shell {
  node: string;
  cli: string;
  env: Record<string, string>;
}

/** What stands on the standard output as JSON. */
export const json = ({ stdout }: Ran) => JSON.parse(stdout) as Record<string, unknown>;
/** The error that stands on the standard error. */
export const failure = ({ stderr }: Ran) => (JSON.parse(stderr) as { error: Record<string, unknown> }).error;

/** A program that runs, to be read and ended. */
export function begin({ node, cli, env }: Shell, args: string[], input = "") {
  const child = spawn(node, [cli, ...args], { env: { ...process.env, ...env } });
  const seen = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => (seen.stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (seen.stderr += text));
  child.stdin.on("error", () => undefined).end(input);
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "close").then(([status]): Ran => ({ status: status as number | null, ...seen }));
  return { seen, ended, interrupt: () => child.kill("SIGINT") };
}

/** Runs it to its end. */
export const ran = (shell: Shell, args: string[], input = "") => begin(shell, args, input).ended;

/** Runs it on a terminal of 80 columns, by `script`, and returns what the terminal got, without colours and raw. */
export async function onTerminal(
  { node, cli, env }: Shell,
  args: string[],
): Promise<{ status: number | null; text: string; raw: string }> {
  const quoted = [node, cli, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn("script", ["-qec", `stty cols 80; exec ${quoted}`, "/dev/null"], {
    env: { ...process.env, TERM: "xterm", ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  const [status] = (await once(child, "close")) as [number | null];
  const raw = text.replaceAll("\r\n", "\n");
  return { status, raw, text: raw.replaceAll(/\p{Cc}\[\d+m/gu, "") };
}
