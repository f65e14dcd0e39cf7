/** One property of the whole run, with the number of checks and all counterexamples. */
export class Proof {
  readonly name: string;
  /** How many things were checked. */
  checked = 0;
  /** A remark to print after the name. */
  note = "";
  readonly against: string[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Checks one thing; `what` describes the counterexample. */
  holds(condition: boolean, what: () => string): void {
    this.checked += 1;
    if (!condition) this.against.push(what());
  }
}
