import { GLOBAL } from "./command.ts";
import type { Command, Options } from "./command.ts";
import { wrapped } from "./output.ts";

// The help, made of the commands.

/** The help is never wider, so that it reads well on a wide terminal. */
const WIDTH_MAX = 80;

const labelOf = (name: string, { type, short, value }: Options[string] & object): string =>
  `${short === undefined ? "" : `-${short}, `}--${name}${type === "string" ? ` ${value ?? "TEXT"}` : ""}`;

/** Lines of a name and what it is, aligned and wrapped. */
function listed(pairs: readonly (readonly [string, string])[], columns: number): string {
  const width = Math.max(...pairs.map(([name]) => name.length)) + 4;
  return pairs
    .map(([name, about]) => {
      const text = wrapped(about, Math.min(columns, WIDTH_MAX), " ".repeat(width));
      return `  ${name}`.padEnd(width) + text.slice(width);
    })
    .join("\n");
}

const optionPairs = (options: Options) =>
  Object.entries(options).map(([name, option]) => {
    const only = option.values ? ` (${option.values.join(", ")})` : "";
    return [labelOf(name, option), `${option.about}${only}${option.need ? "; needed" : ""}`] as const;
  });

/** A part under its title. */
const part = (title: string, text: string) => `${title}:\n${text}`;

/** The help of one command. */
export function helpOf(command: Command, columns: number): string {
  const { name, about, more, args = [], options, examples } = command;
  const words = args.map((arg) => (arg.optional ? `[${arg.name}]` : arg.name)).join(" ");
  const parts = [`${about}.`];
  if (more !== undefined) parts.push(wrapped(more, Math.min(columns, WIDTH_MAX)));
  parts.push(`Usage: dastak ${[name, words].filter(Boolean).join(" ")} [options]`);
  if (args.length > 0) {
    const pairs = args.map(
      (arg) => [arg.name, `${arg.about}${arg.values ? ` (${arg.values.join(", ")})` : ""}`] as const,
    );
    parts.push(part("Arguments", listed(pairs, columns)));
  }
  if (Object.keys(options).length > 0) parts.push(part("Options", listed(optionPairs(options), columns)));
  parts.push(part("Options of every command", listed(optionPairs(GLOBAL), columns)));
  if (examples.length > 0) parts.push(part("Examples", examples.map((example) => `  ${example}`).join("\n")));
  return parts.join("\n\n");
}

const STATUSES = [
  ["0", "done"],
  ["1", "a bug, or a check that failed"],
  ["2", "called wrongly"],
  ["3", "no key, or one that the service does not know"],
  ["4", "refused"],
  ["5", "not reachable, or unknown whether done: run again, same --idempotency-key"],
  ["130", "ended by Ctrl-C"],
] as const;

/** The help of all commands, or of those of a group. */
export function helpOfAll(commands: readonly Command[], columns: number, group?: string): string {
  const shown = commands.filter(({ name }) => group === undefined || name.split(" ")[0] === group);
  const list = listed(
    shown.map(({ name, about }) => [name, about] as const),
    columns,
  );
  const usage = `Usage: dastak ${group === undefined ? "COMMAND" : `${group} COMMAND`} [options]`;
  const last = "dastak COMMAND --help says more about one.";
  if (group !== undefined) return [usage, part("Commands", list), last].join("\n\n");
  return [
    "SMS, one-time passwords, calls, events and webhooks of Dastak.",
    usage,
    part("Commands", list),
    part("Options of every command", listed(optionPairs(GLOBAL), columns)),
    part("Ends with", listed(STATUSES, columns)),
    last,
  ].join("\n\n");
}
