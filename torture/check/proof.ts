/** One property of the whole run, with the number of checks and all counterexamples. */
export class Proof {
  readonly name: string;
  /** Whether it also holds of a run that gave no occasion to check it. */
  readonly needsNone: boolean;
  /** How many things were checked. */
  checked = 0;
  /** A remark to print after the name. */
  note = "";
  readonly against: string[] = [];

  constructor(name: string, { needsNone = false } = {}) {
    this.name = name;
    this.needsNone = needsNone;
  }

  /** Checks one thing; `what` describes the counterexample. */
  holds(condition: boolean, what: () => string): void {
    this.checked += 1;
    if (!condition) this.against.push(what());
  }
}
