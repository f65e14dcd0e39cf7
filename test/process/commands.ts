import path from "node:path";
import { onTestFinished } from "vitest";
import { Program, ROOT } from "../../harness/program.ts";
import { startArguments } from "../../harness/started.ts";
import type { StartOptions } from "../../harness/started.ts";

// The commands, run to their end.

/** One line that ends as a sentence. */
export const SENTENCE = /^[^\n]+\.\n$/u;

/** Runs a program to its end. */
export async function run(args: string[], cwd = ROOT): Promise<{ code: number | null; output: string }> {
  const program = new Program(args, { cwd });
  onTestFinished(() => program.kill9());
  const { code } = await program.ended;
  return { code, output: program.output };
}

/** Runs npm start to its end. */
export const start = (options: StartOptions) => run(startArguments(options));
/** Runs npm run reset to its end. */
export const reset = (state: string) => run([path.join(ROOT, "scripts", "reset.mjs"), "--state", state]);
