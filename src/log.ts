// Log lines are JSON, and never contain a key, an OTP, a text, or more of a number than its last four digits.

type Field = string | number | boolean | null | undefined;

/** A whole number of a phone: with + and its groups, or ten to fifteen digits that are no part of an id. */
const NUMBERS = /\+\d(?:[ -]?\d){6,14}(?!\d)|(?<!\w)\d{10,15}(?!\w)/gu;

/** Cuts numbers of phones to their last four digits: texts of other systems, and of people, may contain them. */
const cut = (text: string): string => text.replaceAll(NUMBERS, (found) => `…${found.replaceAll(/\D/gu, "").slice(-4)}`);

const cutField = (field: Field): Field => (typeof field === "string" ? cut(field) : field);

/** Logs an event. */
export function logLine(event: string, fields: Record<string, Field>): void {
  const cutFields = Object.entries(fields).map(([name, field]) => [name, cutField(field)]);
  console.log(JSON.stringify({ event, ...Object.fromEntries(cutFields) }));
}

/** Logs an internal error, for the operator. */
export function logProblem(where: string, problem: unknown): void {
  // The message of a query's error contains the query with its values; its cause has only the reason.
  const root = problem instanceof Error && problem.cause instanceof Error ? problem.cause : problem;
  const message = root instanceof Error ? `${root.name}: ${root.message}` : "not an error";
  console.error(JSON.stringify({ event: "problem", where, message: cut(message) }));
}

/** How many requests without a valid key are logged per second, per isolate. */
const STRANGERS_PER_SEC = 10;

/**
 * Limits the log lines of requests without a valid key: a client that guesses millions of keys must not fill the log,
 * because a line costs more than the refusal. Omitted requests are counted; the next line reports how many.
 */
export class StrangersLog {
  #second = 0;
  #logged = 0;
  #omitted = 0;

  /** How many requests were omitted since the last line; null if this one is to be omitted too. */
  admit(nowMs: number): number | null {
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#logged = 0;
    }
    if (this.#logged >= STRANGERS_PER_SEC) {
      this.#omitted += 1;
      return null;
    }
    const omitted = this.#omitted;
    this.#omitted = 0;
    this.#logged += 1;
    return omitted;
  }
}

const HOUR_MS = 3_600_000;

/** Limits a line that every request could cause to one per hour and isolate. */
export class OncePerHour {
  #loggedAt: number | null = null;

  /** Whether the line is due. */
  admit(nowMs: number): boolean {
    if (this.#loggedAt !== null && Math.abs(nowMs - this.#loggedAt) < HOUR_MS) return false;
    this.#loggedAt = nowMs;
    return true;
  }
}

/** Addresses of which refusals are logged per minute, per isolate; a flood from more is only counted. */
const ADDRESSES_PER_MIN = 1_000;

/**
 * Limits the security lines of refused requests: the first of each address in a minute is logged, so that a flood shows
 * where it comes from and cannot fill the log. Omitted ones are counted, for each address and for all others together.
 */
export class RefusalsLog {
  #minute = 0;
  /** Refusals of each address in this minute that were not logged. */
  #seen = new Map<string, number>();
  #omitted = 0;

  /** How many refusals were omitted since the last line; null if this one is to be omitted too. */
  admit(address: string, nowMs: number): number | null {
    const minute = Math.floor(nowMs / 60_000);
    if (minute !== this.#minute) {
      for (const omitted of this.#seen.values()) this.#omitted += omitted;
      this.#minute = minute;
      this.#seen.clear();
    }
    const seen = this.#seen.get(address);
    if (seen !== undefined) {
      this.#seen.set(address, seen + 1);
      return null;
    }
    if (this.#seen.size >= ADDRESSES_PER_MIN) {
      this.#omitted += 1;
      return null;
    }
    this.#seen.set(address, 0);
    const omitted = this.#omitted;
    this.#omitted = 0;
    return omitted;
  }
}
