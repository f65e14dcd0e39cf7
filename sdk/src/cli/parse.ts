import { parseArgs } from "node:util";
import type { ParseArgsConfig } from "node:util";
import { GLOBAL } from "./command.ts";
import type { Command, Options } from "./command.ts";
import { Given } from "./given.ts";
import { usage } from "./stop.ts";

// From words to a command and its values.

type ParseOptions = NonNullable<ParseArgsConfig["options"]>;

const parseOptions = (options: Options): ParseOptions =>
  Object.fromEntries(
    Object.entries(options).map(([name, { type, short, multiple }]) => [
      name,
      { type, ...(short && { short }), ...(multiple && { multiple }) },
    ]),
  );

/** What the words ask for: a command, or the help of a group such as `webhooks`. */
export type Asked =
  | { kind: "command"; command: Command; rest: string[] }
  | { kind: "group"; name: string; help: boolean }
  | { kind: "none"; help: boolean; version: boolean };

/** Which command the words ask for. Options may stand before it. */
export function asked(words: readonly string[], commands: readonly Command[]): Asked {
  // An option's type is the same in all commands, so that its value is told from the command's name.
  const all = Object.assign({}, ...commands.map(({ options }) => options), GLOBAL) as Options;
  const { tokens } = parseArgs({ args: [...words], options: parseOptions(all), strict: false, tokens: true });
  const names = tokens.filter((token) => token.kind === "positional").slice(0, 2);
  const [first, second] = names;
  const help = tokens.some((token) => token.kind === "option" && token.name === "help");
  if (first === undefined || (first.value === "help" && names.length === 1)) {
    const version = words.includes("--version") || words.includes("-V");
    return { kind: "none", help: help || first !== undefined, version };
  }
  if (first.value === "help") return asked([...words.filter((_word, at) => at !== first.index), "--help"], commands);
  const pair = commands.find(({ name }) => name === `${first.value} ${second?.value ?? ""}`);
  const command = pair ?? commands.find(({ name }) => name === first.value);
  if (command) {
    const own = new Set([first.index, ...(pair && second ? [second.index] : [])]);
    return { kind: "command", command, rest: words.filter((_word, at) => !own.has(at)) };
  }
  const group = commands.filter(({ name }) => name.startsWith(`${first.value} `));
  if (group.length > 0 && second === undefined) return { kind: "group", name: first.value, help };
  const word = group.length > 0 ? `${first.value} ${second?.value ?? ""}` : first.value;
  const near = nearest(
    word,
    commands.map(({ name }) => name).concat(commands.map(({ name }) => name.split(" ")[0] ?? "")),
  );
  throw usage(
    `There is no command ${word}.`,
    near === undefined ? "dastak --help lists them." : `Did you mean: dastak ${near}?`,
  );
}

/** How many letters must be changed, added, left out or swapped with the next to make one word of the other. */
function distance(one: string, other: string): number {
  let [before, row]: number[][] = [[], Array.from({ length: other.length + 1 }, (_none, at) => at)];
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const changed = (row?.[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const isSwap = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const swapped = isSwap ? (before?.[j - 2] ?? Infinity) + 1 : Infinity;
      next.push(Math.min(changed, swapped, (row?.[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row?.at(-1) ?? 0;
}

/** The name that was probably meant. */
function nearest(word: string, names: readonly string[]): string | undefined {
  const far = Math.max(1, Math.floor(word.length / 3));
  const ranked = names.map((name) => [distance(word, name), name] as const).toSorted(([a], [b]) => a - b);
  const [best] = ranked;
  if (best && best[0] <= far) return best[1];
  return names.find((name) => word.length > 1 && name.startsWith(word));
}

/** The parser's words, where they are shorter than what a person can use. */
function told(problem: Error, command: Command): Error {
  const { code } = problem as { code?: string };
  const [, name = ""] = /'(?:-\w, )?--?([\w-]+)/u.exec(problem.message) ?? [];
  const help = `dastak ${command.name} --help`;
  if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") {
    const near = nearest(name, Object.keys({ ...command.options, ...GLOBAL }));
    const dashes = problem.message.includes("'--") ? "--" : "-";
    return usage(`There is no option ${dashes}${name}.`, near === undefined ? help : `Did you mean --${near}?`);
  }
  const option: Options[string] | undefined = { ...command.options, ...GLOBAL }[name];
  if (code !== "ERR_PARSE_ARGS_INVALID_OPTION_VALUE" || option === undefined) {
    return usage(firstSentence(problem), help);
  }
  if (option.type === "boolean") return usage(`--${name} takes no value.`, help);
  return usage(`--${name} needs a value.`, `For one that begins with a dash, write --${name}=-…`);
}

const firstSentence = ({ message }: Error) => `${message.split(/\. |\n/u)[0]?.replace(/\.$/u, "")}.`;

/** The values for a command; throws a `Stop` for what it does not take or lacks. */
export function givenTo(command: Command, rest: readonly string[]): Given {
  const options = { ...command.options, ...GLOBAL };
  let parsed;
  try {
    parsed = parseArgs({ args: [...rest], options: parseOptions(options), allowPositionals: true });
  } catch (problem) {
    throw told(problem as Error, command);
  }
  const given = new Given(parsed.values, parsed.positionals);
  if (given.flag("help")) return given;
  const example = command.examples[0];
  for (const [name, { need, values }] of Object.entries(options)) {
    const value = given.text(name);
    if (need && value === undefined) throw usage(`--${name} is needed.`, `Such as: ${example}`);
    if (values && value !== undefined && !values.includes(value)) {
      throw usage(`--${name} must be one of ${values.join(", ")}.`);
    }
  }
  const args = command.args ?? [];
  for (const [at, { name, optional, values }] of args.entries()) {
    const value = given.args[at];
    if (value === undefined && !optional) throw usage(`${name} is missing.`, `Such as: ${example}`);
    if (values && value !== undefined && !values.includes(value)) {
      throw usage(`${name} must be one of ${values.join(", ")}.`);
    }
  }
  const extra = given.args[args.length];
  if (extra !== undefined) throw usage(`${extra} is more than ${command.name} takes.`, `dastak ${command.name} --help`);
  return given;
}
