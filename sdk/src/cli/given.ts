import { usage } from "./stop.ts";

/** What the caller gave to a command. Every value stays a text: a number such as 048213 keeps its zero. */
export class Given {
  readonly args: readonly string[];
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>, args: readonly string[]) {
    this.#values = values;
    this.args = args;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === "string" ? value : undefined;
  }

  /** A value that the command cannot do without. */
  need(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw usage(`--${name} is needed.`);
    return value;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  /** The values of an option that may stand several times. */
  list(name: string): string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** A whole number within bounds. */
  count(name: string, min: number, max: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const number = /^[0-9]{1,15}$/u.test(text) ? Number(text) : NaN;
    if (!(number >= min && number <= max)) throw usage(`--${name} must be a whole number from ${min} to ${max}.`);
    return number;
  }

  /** An argument that the command cannot do without. */
  arg(place: number): string {
    const value = this.args[place];
    if (value === undefined) throw usage("An argument is missing.");
    return value;
  }
}
