import { GLOBAL } from "./command.ts";
import type { Command, Context } from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { candidateLines, candidates } from "./completion.ts";
import { connectionOf, settingsOf } from "./connection.ts";
import { helpOf, helpOfAll } from "./help.ts";
import { Output, wrapped } from "./output.ts";
import { asked, givenTo } from "./parse.ts";
import { readStored } from "./profiles.ts";
import { STATUS, Stop, stopOf, usage } from "./stop.ts";
import { VERSION } from "./version.ts";

// The program `dastak`: words in, a status out.

const { stdout, stderr, env } = process;

/** A terminal of unknown width. */
const COLUMNS = 80;

const columns = () => stdout.columns || COLUMNS;

function outputOf(json: boolean): Output {
  const isTerminal = stdout.isTTY;
  return new Output({
    json: json || !isTerminal,
    // Any value but an empty one turns colours off (no-color.org).
    color: isTerminal && !env["NO_COLOR"] && env["TERM"] !== "dumb",
    width: columns(),
    write: (text) => void stdout.write(text),
  });
}

/** Tells what ended the command: JSON for programs, lines for people. */
function tell(stop: Stop): void {
  const { code, message, hint, facts } = stop;
  if (stderr.isTTY) {
    // A message may have several lines, one for each row of a list that is wrong.
    const lines = [...message.split("\n"), ...(hint?.split("\n") ?? [])];
    return void stderr.write(lines.map((line) => `${wrapped(line, stderr.columns || COLUMNS)}\n`).join(""));
  }
  stderr.write(`${JSON.stringify({ error: { code, message, hint, ...facts } })}\n`);
}

/** Runs one command to its end, or to Ctrl-C. */
async function runCommand(command: Command, rest: readonly string[]): Promise<number> {
  const given = givenTo(command, rest);
  if (given.flag("help")) {
    stdout.write(`${helpOf(command, columns())}\n`);
    return 0;
  }
  const interrupt = new AbortController();
  process.once("SIGINT", () => {
    interrupt.abort();
    // A second Ctrl-C, or a command that does not watch, ends at once.
    process.once("SIGINT", () => process.exit(STATUS.interrupted));
    if (command.watches !== true) process.exit(STATUS.interrupted);
  });
  const context: Context = {
    out: outputOf(given.flag("json")),
    signal: interrupt.signal,
    env,
    commands: COMMANDS,
    connect: () =>
      connectionOf(settingsOf(given, env), (text) => {
        if (stderr.isTTY) stderr.write(`${text}\n`);
      }),
  };
  try {
    await command.run(context, given);
  } catch (problem) {
    if (!interrupt.signal.aborted) throw problem;
  }
  return interrupt.signal.aborted ? STATUS.interrupted : 0;
}

async function run(words: string[]): Promise<number> {
  if (words[0] === "__complete") {
    stdout.write(`${candidateLines(candidates(words.slice(1), COMMANDS, profileNames))}\n`);
    return 0;
  }
  const what = asked(words, COMMANDS);
  if (what.kind === "command") return runCommand(what.command, what.rest);
  if (what.kind === "none" && what.version) stdout.write(`${VERSION}\n`);
  else if (what.kind === "none") {
    const stray = words.find((word) => word.startsWith("-") && !what.help && !(word.slice(2) in GLOBAL));
    if (stray !== undefined) throw usage(`There is no option ${stray}.`, "dastak --help lists the commands.");
    stdout.write(`${helpOfAll(COMMANDS, columns())}\n`);
  } else if (what.help) stdout.write(`${helpOfAll(COMMANDS, columns(), what.name)}\n`);
  else {
    const members = COMMANDS.filter(({ name }) => name.startsWith(`${what.name} `));
    const list = members.map(({ name }) => name.slice(what.name.length + 1)).join(", ");
    throw usage(`dastak ${what.name} needs one of: ${list}.`, `dastak ${what.name} --help`);
  }
  return 0;
}

/** Names of stored profiles; none where the file cannot be read, because a shell is only asking. */
function profileNames(): string[] {
  try {
    return Object.keys(readStored(env).profiles);
  } catch {
    return [];
  }
}

// The reader of a pipe may have seen enough, as `head` does.
stdout.on("error", (problem: NodeJS.ErrnoException) => process.exit(problem.code === "EPIPE" ? 0 : STATUS.failed));

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (problem) {
  const stop =
    stopOf(problem) ??
    new Stop("failed", "bug", `dastak failed: ${(problem as Error).message}`, (problem as Error).stack);
  tell(stop);
  process.exitCode = stop.status;
}
