import { GLOBAL } from "./command.ts";
import type { Command, Option } from "./command.ts";

// Completion: the shells ask this program, so that what they offer is always what it takes.

/** What may stand next. */
export interface Candidate {
  word: string;
  about: string;
}

/** Words that may stand next, or the names of files. */
export type Candidates = Candidate[] | "files";

const valued = (values: readonly string[]) => values.map((word) => ({ word, about: "" }));

/** The option whose value the last word is, if it is one. */
function awaited(before: readonly string[], options: Readonly<Record<string, Option>>): Option | undefined {
  const last = before.at(-1) ?? "";
  const found = Object.entries(options).find(([name, { short }]) => last === `--${name}` || last === `-${short}`);
  return found?.[1].type === "string" ? found[1] : undefined;
}

/** The words before the last one that are no options and no values of options. */
function namesIn(before: readonly string[], options: Readonly<Record<string, Option>>): string[] {
  return before.filter((word, at) => !word.startsWith("-") && !awaited(before.slice(0, at), options));
}

/** What may stand in place of the last word, after those before it. */
export function candidates(
  words: readonly string[],
  commands: readonly Command[],
  profiles: () => string[],
): Candidates {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? "";
  const every: Record<string, Option> = Object.assign({}, ...commands.map(({ options }) => options), GLOBAL);
  const [first, second] = namesIn(before, every);
  const command =
    commands.find(({ name }) => name === `${first ?? ""} ${second ?? ""}`) ??
    commands.find(({ name }) => name === first);
  const options = { ...command?.options, ...GLOBAL };
  const fitting = (all: Candidate[]) => all.filter(({ word }) => word.startsWith(last));
  const option = awaited(before, options);
  if (option) {
    if (option.value === "FILE") return "files";
    return fitting(valued(option.value === "PROFILE" ? profiles() : (option.values ?? [])));
  }
  if (last.startsWith("-")) {
    return fitting(Object.entries(options).map(([name, { about }]) => ({ word: `--${name}`, about })));
  }
  if (first === undefined) return fitting(firstWords(commands));
  const place = namesIn(before, every).length - (command?.name.split(" ").length ?? 1);
  const group = commands.filter(({ name }) => second === undefined && name.startsWith(`${first} `));
  const words2 = group.map(({ name, about }) => ({ word: name.slice(first.length + 1), about }));
  const arg = command?.args?.[place];
  return fitting([...words2, ...valued(arg?.name === "PROFILE" ? profiles() : (arg?.values ?? []))]);
}

/** The first words of all commands, each once. */
function firstWords(commands: readonly Command[]): Candidate[] {
  const found = new Map<string, string>();
  for (const { name, about } of commands) {
    const [word = ""] = name.split(" ");
    const members = commands.filter((other) => other.name.startsWith(`${word} `));
    const list = members.map((other) => other.name.slice(word.length + 1)).join(", ");
    if (!found.has(word)) found.set(word, name === word ? about : list);
  }
  return [...found].map(([word, about]) => ({ word, about }));
}

/** What the program answers to a shell: a line for each, with what it is after a tab. */
export const candidateLines = (found: Candidates): string =>
  found === "files" ? ":files" : found.map(({ word, about }) => `${word}\t${about}`).join("\n");

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

// Bash 3.2, which macOS has, cannot change -o default within the function: no candidate means the names of files.
const BASH = `_dastak() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    if [ "$line" = ":files" ]; then return; fi
    if [ -n "$line" ]; then COMPREPLY+=("\${line%%$'\\t'*}"); fi
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _dastak dastak`;

const ZSH = `#compdef dastak
_dastak() {
  local line
  local -a offered
  while IFS= read -r line; do
    if [[ $line == :files ]]; then _files; return; fi
    if [[ -n $line ]]; then offered+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}"); fi
  done < <("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe dastak offered
}
if (( ! $+functions[compdef] )); then autoload -Uz compinit; compinit; fi
if [[ $funcstack[1] == _dastak ]]; then _dastak "$@"; else compdef _dastak dastak; fi`;

const FISH = `function __dastak_offered
  set -l words (commandline -opc)
  set -l program $words[1]
  set -e words[1]
  set -l last (commandline -ct)
  $program __complete $words "$last" 2>/dev/null
end
complete -c dastak -n 'not contains -- :files (__dastak_offered)' -f -a '(__dastak_offered)'
complete -c dastak -n 'contains -- :files (__dastak_offered)' -F`;

/** The script that a shell reads at its start. */
export const scriptFor = (shell: Shell): string => ({ bash: BASH, zsh: ZSH, fish: FISH })[shell];
