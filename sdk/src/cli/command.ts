import type { Connection } from "./connection.ts";
import type { Given } from "./given.ts";
import type { Output } from "./output.ts";

// What a command declares: its help, the completion of shells and `dastak commands` are made of it.

/** One option. */
export interface Option {
  readonly type: "string" | "boolean";
  readonly short?: string;
  /** Whether it may stand several times. */
  readonly multiple?: true;
  /** One line for people. */
  readonly about: string;
  /** Whether the command cannot run without it. */
  readonly need?: true;
  /** The only values that it takes. */
  readonly values?: readonly string[];
  /** What its value is, in capitals in the help; FILE and PROFILE also tell shells what to offer. */
  readonly value?: string;
}

/** Options by name, without their dashes. */
export type Options = Readonly<Record<string, Option>>;

/** A word that a command takes beside its options. */
export interface Argument {
  readonly name: string;
  readonly about: string;
  readonly optional?: true;
  readonly values?: readonly string[];
}

/** What a command runs with. */
export interface Context {
  readonly out: Output;
  /** Aborted by Ctrl-C, in a command that watches. */
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The service and the key; throws a `Stop` when there is no key. */
  readonly connect: () => Connection;
  /** All commands, for those that speak of commands. */
  readonly commands: readonly Command[];
}

export interface Command {
  /** One word or two. */
  readonly name: string;
  /** One line for people, without a full stop. */
  readonly about: string;
  /** What else is to be known, in the help of the command. */
  readonly more?: string;
  readonly args?: readonly Argument[];
  readonly options: Options;
  readonly examples: readonly string[];
  /** Whether it goes on until Ctrl-C, so that Ctrl-C is its usual end. */
  readonly watches?: true;
  readonly run: (context: Context, given: Given) => Promise<void> | void;
}

/** The options of every command. */
export const GLOBAL: Options = {
  json: { type: "boolean", about: "JSON, also on a terminal" },
  "api-key": { type: "string", value: "KEY", about: "Instead of DASTAK_API_KEY and the profile's" },
  url: { type: "string", value: "URL", about: "Instead of DASTAK_URL and the profile's" },
  profile: { type: "string", short: "p", value: "PROFILE", about: "A stored profile; else DASTAK_PROFILE" },
  help: { type: "boolean", short: "h", about: "This help" },
};
