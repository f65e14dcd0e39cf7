// Regular expressions of operators, which run on what carriers answer. JavaScript's own engine may take time that is
// exponential in the text, and would stall every request of the isolate; a carrier, not the operator, chooses the text.
// So expressions are compiled here for a matcher that visits each pair of (instruction, position) at most once (the
// "bit state" of RE2): time and memory are at most their product, whatever the text. What it reads is a subset of
// JavaScript's syntax with the same meaning, with the flags u and s; anything else is refused when the carrier is set up.

/** Characters of an expression. */
const SOURCE_MAX = 200;
/** Instructions, after bounded repeats are written out. */
const PROGRAM_MAX = 300;
/** The most that a bounded repeat may ask for. */
const REPEAT_MAX = 50;
/** Characters of a text that are looked at: what says whether a message was taken stands at its beginning. */
export const SUBJECT_MAX = 4_096;

type Instruction =
  | { op: "letter"; is: (letter: string) => boolean }
  | { op: "assert"; holds: (text: readonly string[], at: number) => boolean }
  | { op: "split"; first: number; second: number }
  | { op: "jump"; to: number }
  | { op: "save"; slot: 0 | 1 }
  | { op: "end" };

type Node =
  | { kind: "letter"; source: string }
  | { kind: "assert"; source: "^" | "$" | "\\b" | "\\B" }
  | { kind: "all"; of: Node[] }
  | { kind: "any"; of: Node[] }
  | { kind: "group"; of: Node }
  | { kind: "repeat"; of: Node; min: number; max: number; lazy: boolean };

/** Refuses an expression; caught where its reading began. */
class Refused extends Error {}

const ESCAPES = /^\\(?:[dDwWsSnrt]|[\^$\\.*+?()[\]{}|/]|x[0-9a-f]{2}|u[0-9a-f]{4})/iu;
const CLASS = /^\[\^?(?:\\(?:[dDwWsSnrt]|[\^$\\.*+?()[\]{}|/-]|x[0-9a-f]{2}|u[0-9a-f]{4})|[^\]\\[])*\]/iu;
const COUNTED = /^\{([0-9]{1,3})(,?)([0-9]{0,3})\}/u;

/** Reads one expression, from left to right. */
class Reader {
  groups = 0;
  #rest: string;

  constructor(source: string) {
    this.#rest = source;
  }

  /** Alternatives, up to a closing bracket or the end. */
  choice(depth: number): Node {
    if (depth > 10) throw new Refused("Groups are nested too deep.");
    const of = [this.#sequence(depth)];
    while (this.#take("|")) of.push(this.#sequence(depth));
    return of.length === 1 && of[0] ? of[0] : { kind: "any", of };
  }

  whole(): Node {
    const node = this.choice(0);
    if (this.#rest !== "") throw new Refused(`There is no meaning in ${this.#rest.slice(0, 10)} there.`);
    return node;
  }

  #take(text: string): boolean {
    if (!this.#rest.startsWith(text)) return false;
    this.#rest = this.#rest.slice(text.length);
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    const found = pattern.exec(this.#rest);
    if (found) this.#rest = this.#rest.slice(found[0].length);
    return found;
  }

  #sequence(depth: number): Node {
    const of: Node[] = [];
    while (this.#rest !== "" && !/^[|)]/u.test(this.#rest)) of.push(this.#repeated(this.#atom(depth)));
    return { kind: "all", of };
  }

  #atom(depth: number): Node {
    for (const source of ["^", "$", "\\b", "\\B"] as const) if (this.#take(source)) return { kind: "assert", source };
    if (this.#take("(?:")) return this.#closed(this.choice(depth + 1));
    if (this.#rest.startsWith("(?")) throw new Refused("Only (…) and (?:…) can be read, no look-around and no names.");
    if (this.#take("(")) {
      this.groups += 1;
      return { kind: "group", of: this.#closed(this.choice(depth + 1)) };
    }
    const found = this.#match(ESCAPES) ?? this.#match(CLASS) ?? this.#match(/^[^\\[\]{}*+?^$|()]/u);
    if (!found) throw new Refused(`There is no meaning in ${this.#rest.slice(0, 10)} there.`);
    return { kind: "letter", source: found[0] };
  }

  #closed(node: Node): Node {
    if (!this.#take(")")) throw new Refused("A bracket is not closed.");
    return node;
  }

  #repeated(of: Node): Node {
    const found = this.#match(/^[*+?]/u) ?? this.#match(COUNTED);
    if (!found) return of;
    const [sign, least = "", comma, most = ""] = found;
    const min = sign === "+" ? 1 : Number(least);
    const open = sign === "?" ? 1 : Infinity;
    const max = most !== "" ? Number(most) : least !== "" && comma === "" ? min : open;
    if (min > max || min > REPEAT_MAX || (max !== Infinity && max > REPEAT_MAX)) {
      throw new Refused(`A repeat counts up to ${REPEAT_MAX}.`);
    }
    if (hasGroup(of)) throw new Refused("A group that is read, (…), cannot be repeated; (?:…) can.");
    if (canBeEmpty(of)) throw new Refused("What may be empty cannot be repeated.");
    return { kind: "repeat", of, min, max, lazy: this.#take("?") };
  }
}

function canBeEmpty(node: Node): boolean {
  switch (node.kind) {
    case "letter":
      return false;
    case "assert":
      return true;
    case "group":
      return canBeEmpty(node.of);
    case "all":
      return node.of.every(canBeEmpty);
    case "any":
      return node.of.some(canBeEmpty);
    case "repeat":
      return node.min === 0;
  }
}

function hasGroup(node: Node): boolean {
  if (node.kind === "letter" || node.kind === "assert") return false;
  return node.kind === "group" || (Array.isArray(node.of) ? node.of.some(hasGroup) : hasGroup(node.of));
}

/** One class or letter, of which each ASCII character is asked once. */
function lettersOf(source: string): (letter: string) => boolean {
  const one = new RegExp(`^${source}$`, "su");
  const known = new Map<string, boolean>();
  return (letter) => {
    const before = known.get(letter);
    if (before !== undefined) return before;
    const is = one.test(letter);
    if (letter <= "\u007f") known.set(letter, is);
    return is;
  };
}

const isWord = (letter: string | undefined): boolean => letter !== undefined && /^\w$/u.test(letter);
const isEdge = (text: readonly string[], at: number): boolean => isWord(text[at - 1]) !== isWord(text[at]);

const ASSERTED: Record<string, (text: readonly string[], at: number) => boolean> = {
  "^": (_, at) => at === 0,
  $: (text, at) => at === text.length,
  "\\b": isEdge,
  "\\B": (text, at) => !isEdge(text, at),
};

/** Appends the instructions of a part of the expression. */
function write(program: Instruction[], node: Node): void {
  if (program.length > PROGRAM_MAX) throw new Refused("The expression is too long when its repeats are written out.");
  switch (node.kind) {
    case "letter":
      program.push({ op: "letter", is: lettersOf(node.source) });
      return;
    case "assert":
      program.push({ op: "assert", holds: ASSERTED[node.source] ?? (() => false) });
      return;
    case "group":
      program.push({ op: "save", slot: 0 });
      write(program, node.of);
      program.push({ op: "save", slot: 1 });
      return;
    case "all":
      for (const one of node.of) write(program, one);
      return;
    case "any":
      writeAny(program, node.of);
      return;
    case "repeat":
      writeRepeat(program, node);
  }
}

function writeAny(program: Instruction[], of: readonly Node[]): void {
  const jumps: number[] = [];
  for (const [nth, one] of of.entries()) {
    const split = program.length;
    if (nth < of.length - 1) program.push({ op: "end" });
    write(program, one);
    if (nth === of.length - 1) break;
    jumps.push(program.length);
    program.push({ op: "end" });
    program[split] = { op: "split", first: split + 1, second: program.length };
  }
  for (const at of jumps) program[at] = { op: "jump", to: program.length };
}

function writeRepeat(program: Instruction[], { of, min, max, lazy }: Node & { kind: "repeat" }): void {
  const split = (into: number, past: number): Instruction =>
    lazy ? { op: "split", first: past, second: into } : { op: "split", first: into, second: past };
  for (let nth = 0; nth < min; nth += 1) write(program, of);
  if (max === Infinity) {
    const at = program.length;
    program.push({ op: "end" });
    write(program, of);
    program.push({ op: "jump", to: at });
    program[at] = split(at + 1, program.length);
    return;
  }
  const splits: number[] = [];
  for (let nth = min; nth < max; nth += 1) {
    splits.push(program.length);
    program.push({ op: "end" });
    write(program, of);
  }
  for (const at of splits) program[at] = split(at + 1, program.length);
}

/** What was found: the text of the one group, or undefined where the expression has none, or it took no part. */
export interface Found {
  group: string | undefined;
}

export interface Expression {
  groups: number;
  /** Looks for the expression in a text, of which SUBJECT_MAX characters are read; null where it is not there. */
  find: (text: string) => Found | null;
}

/** Tries one start; `visited` holds what failed at an earlier start too, and so fails again. */
function run(
  program: readonly Instruction[],
  text: readonly string[],
  start: number,
  visited: Uint8Array,
): Found | null {
  const todo: [at: number, position: number, from: number, to: number][] = [[0, start, -1, -1]];
  for (let next = todo.pop(); next; next = todo.pop()) {
    let [at, position, from, to] = next;
    for (;;) {
      const place = at * (text.length + 1) + position;
      const bit = 1 << (place & 7);
      if (((visited[place >> 3] ?? 0) & bit) !== 0) break;
      visited[place >> 3] = (visited[place >> 3] ?? 0) | bit;
      const step = program[at];
      if (step === undefined) break;
      if (step.op === "end") return { group: from < 0 || to < 0 ? undefined : text.slice(from, to).join("") };
      if (step.op === "letter") {
        const letter = text[position];
        if (letter === undefined || !step.is(letter)) break;
        position += 1;
      } else if (step.op === "assert" && !step.holds(text, position)) break;
      else if (step.op === "save" && step.slot === 0) from = position;
      else if (step.op === "save") to = position;
      if (step.op === "split") todo.push([step.second, position, from, to]);
      at = step.op === "split" ? step.first : step.op === "jump" ? step.to : at + 1;
    }
  }
  return null;
}

/** Compiles an expression; what cannot be read is refused with a sentence. */
export function expressionOf(source: string): Expression | string {
  if (source === "" || source.length > SOURCE_MAX) return `An expression has 1 to ${SOURCE_MAX} characters.`;
  try {
    const reader = new Reader(source);
    const tree = reader.whole();
    if (reader.groups > 1) return "An expression has at most one group that is read, (…); others are (?:…).";
    const program: Instruction[] = [];
    write(program, tree);
    program.push({ op: "end" });
    if (program.length > PROGRAM_MAX) return "The expression is too long when its repeats are written out.";
    const find = (whole: string): Found | null => {
      const text = Array.from(whole.slice(0, SUBJECT_MAX));
      const visited = new Uint8Array(Math.ceil((program.length * (text.length + 1)) / 8));
      for (let start = 0; start <= text.length; start += 1) {
        const found = run(program, text, start, visited);
        if (found) return found;
      }
      return null;
    };
    return { groups: reader.groups, find };
  } catch (problem) {
    if (problem instanceof Refused) return problem.message;
    // A class such as [z-a] is refused by the engine that tests single letters.
    if (problem instanceof SyntaxError) return "The expression cannot be read.";
    throw problem;
  }
}

/** The expression of settings that were checked when the carrier was set up. */
export function checkedExpression(source: string): Expression {
  const expression = expressionOf(source);
  if (typeof expression === "string") throw new Error(`Unchecked expression: ${expression}`);
  return expression;
}
