import { RATE_CODES as SMPP_RATE_CODES } from "../../smpp/statuses.ts";
import type { Outcome } from "../../model/message.ts";
import type { Seen } from "../../model/pace.ts";
import type { Made } from "./untold.ts";

// What the outcome of a submission says of the carrier: of its rate, and of whether it works at all (contract §16.2).

/** The codes of "not now" answers that are about the carrier's rate; the others are outages of the carrier or before it. */
const RATE_CODES = new Set(["http_429", "20429", ...SMPP_RATE_CODES]);

/** Codes of what happens before a carrier is asked: its voices, and speech that is made for it. */
const isBefore = (code: string): boolean => code === "no_voice" || code.startsWith("speech_");

/** What an outcome says about the carrier's rate. */
export function seenIn(outcome: Outcome): Omit<Seen, "returned"> {
  switch (outcome.kind) {
    case "not_accepted": {
      if (isBefore(outcome.code)) return { taken: 0, busy: 0 };
      const isRate = RATE_CODES.has(outcome.code);
      const quiet = outcome.retryAfterMs !== undefined && { quietMs: outcome.retryAfterMs };
      return { taken: 0, busy: isRate ? 1 : 0, ...(!isRate && { away: 1 }), ...quiet };
    }
    case "not_sent":
    case "released":
      return { taken: 0, busy: 0 };
    case "unknown":
      return {
        taken: 1,
        busy: 0,
        ...(outcome.retryAfterMs !== undefined && { quietMs: outcome.retryAfterMs }),
      };
    case "submitted":
    case "rejected":
      return { taken: 1, busy: 0 };
  }
}

/** The deployment's own account at the carrier: its credentials, its credit, or that it is not set up. */
const TROUBLES: ReadonlySet<string> = new Set([
  "20003",
  "20005",
  "http_401",
  "http_402",
  "http_403",
  "bind_refused",
  "not_configured",
]);

/** No connection, a timeout or a broken one; of SMPP, a centre that is out of order. */
const FAILURES: ReadonlySet<string> = new Set([
  "connect_timeout",
  "connection_refused",
  "timeout",
  "connection_broken",
  "no_bind",
  "smpp_0x08",
  "smpp_0x64",
]);

const SERVER_ERROR = /^http_5[0-9]{2}$/u;

/** What the outcome of a submission that took `ms` says of the carrier; null where nothing was submitted. */
export function madeOf(outcome: Outcome, ms: number): Made | null {
  switch (outcome.kind) {
    case "not_sent":
    case "released":
      return null;
    case "submitted":
      return { results: { submitted: 1 }, submitMs: ms };
    case "rejected":
      return { results: { rejected: 1 }, submitMs: ms, code: outcome.code };
    case "not_accepted":
    case "unknown": {
      const { kind, code, retryAfterMs } = outcome;
      if (isBefore(code)) return null;
      const isBroken = FAILURES.has(code) || SERVER_ERROR.test(code);
      return {
        results: { [kind]: 1 },
        submitMs: ms,
        code,
        // A carrier that says when to come again, or that it has too much, is at work: that is its pace.
        isFailure: isBroken && retryAfterMs === undefined,
        isTrouble: kind === "not_accepted" && TROUBLES.has(code),
      };
    }
  }
}
