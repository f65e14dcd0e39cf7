// Log lines: JSON, one per request, never a key, an OTP, a text, or more of a number than its last four digits.

type Field = string | number | boolean | null | undefined;

/** One line about something that happened. */
export function logLine(event: string, fields: Record<string, Field>): void {
  console.log(JSON.stringify({ event, ...fields }));
}

/** One line about something that went wrong inside, for whoever operates the service. */
export function logProblem(where: string, problem: unknown): void {
  // An error of a query carries the query with its values; its cause says what went wrong.
  const root = problem instanceof Error && problem.cause instanceof Error ? problem.cause : problem;
  const message = root instanceof Error ? `${root.name}: ${root.message}` : "not an error";
  console.error(JSON.stringify({ event: "problem", where, message }));
}

/** Lines about strangers in one second, per isolate. */
const STRANGERS_PER_SEC = 10;

/**
 * Which requests without a valid key are logged: whoever tries keys by the million is not to fill the log, which costs
 * more than refusing them. What was left out is counted, and told with the next line.
 */
export class StrangersLog {
  #second = 0;
  #told = 0;
  #untold = 0;

  /** How many were left out since the last line, or null to leave this one out. */
  admit(nowMs: number): number | null {
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#told = 0;
    }
    if (this.#told >= STRANGERS_PER_SEC) {
      this.#untold += 1;
      return null;
    }
    const untold = this.#untold;
    this.#untold = 0;
    this.#told += 1;
    return untold;
  }
}
