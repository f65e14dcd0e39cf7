/** One property of the whole run, with what was looked at and what spoke against it. */
export class Proof {
  readonly name: string;
  /** How many things were looked at. */
  checked = 0;
  /** What to tell beside the name. */
  note = "";
  readonly against: string[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Looks at one thing; `what` says what is wrong with it. */
  holds(condition: boolean, what: () => string): void {
    this.checked += 1;
    if (!condition) this.against.push(what());
  }
}
