import { describe, expect, it } from "vitest";
import { EXPLAINED_CODES, carrierCode, explain } from "../../src/activity/explain.ts";
import { OPERATION_NAMES } from "../../src/model/operations.ts";
import { STATES } from "../../src/search/terms.ts";
import { story } from "../../src/ui/words/story.ts";

const SOURCES = import.meta.glob<string>("../../src/{carriers,durable,inbox,queues,smpp}/**/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** Codes of a message that stand in the code: after `code:`, in a `failWithRefund`, or as `INTERRUPTED`. */
function codesIn(source: string): string[] {
  const given = [
    ...source.matchAll(/\bcode(?::|\s*=)[^;]*?["`]([a-z][a-z_]+)["`](?:\s*:\s*"([a-z_]+)")?/gu),
    ...source.matchAll(/failWithRefund\([^;]*?"([a-z_]+)"/gu),
    ...source.matchAll(/(?:INTERRUPTED|WINDOW_FULL) = "([a-z_]+)"/gu),
    ...source.matchAll(/notNow\([^;]*?"([a-z_]+)"(?:\s*:\s*"([a-z_]+)")?/gu),
  ];
  return given.flatMap(([, one, other]) => [one, other]).filter((code) => code !== undefined);
}

const CODES = [...new Set(Object.values(SOURCES).flatMap(codesIn))];

/** What the scan above takes for a code, and is none of a message. */
const OTHER_CODES: ReadonlySet<string> = new Set([
  "code",
  "custom",
  "desc",
  "hex",
  "log",
  "not_accepted",
  "sending",
  "undelivered",
]);

describe("an explanation", () => {
  const found = CODES.filter((code) => !OTHER_CODES.has(code));

  it("knows every code that the service and its simulator give, and no other, and so do the pages", () => {
    expect(found.length).toBeGreaterThan(10);
    expect([...EXPLAINED_CODES].toSorted()).toEqual(found.toSorted());
    for (const lang of ["en", "hi"] as const) {
      expect(Object.keys(story[lang].reasons).toSorted()).toEqual(found.toSorted());
    }
  });

  it("is one plain sentence for every state, code and operation", () => {
    const states = [...STATES.values()].filter((state) => state !== "refunded");
    expect(states).toEqual(expect.arrayContaining(["scheduled", "cancelled"]));
    const codes = [null, ...EXPLAINED_CODES, "http_503", "ABSENT 27", "x\n\u202ey".repeat(60), "constructor"];
    for (const state of states) {
      for (const errorCode of codes) {
        for (const operation of OPERATION_NAMES) {
          for (const refunded of [true, false]) {
            const text = explain({ state, errorCode, refunded, operation });
            expect(text).toMatch(/^[A-Z][^\n]*[^.]\.$/u);
            expect(text).not.toMatch(/[.!?] [A-Z]|undefined|\p{Cf}/u);
            expect(text.length).toBeLessThan(220);
          }
        }
      }
    }
  });

  it("says why, and what became of the money", () => {
    const of = { operation: "sms", refunded: false, errorCode: null } as const;
    expect(explain({ ...of, state: "failed", errorCode: "validity_ended", refunded: true })).toBe(
      "The message was not sent because its validity ended before the carrier accepted it, and its cost was refunded.",
    );
    expect(explain({ ...of, state: "undelivered", errorCode: "27" })).toBe(
      "The message did not reach the phone because the carrier gave the code 27.",
    );
    expect(explain({ ...of, state: "queued", errorCode: "http_429", operation: "tts" })).toBe(
      "The call waits to be tried again because the carrier's gateway answered with HTTP status 429.",
    );
    expect(explain({ ...of, state: "unknown", errorCode: "timeout", refunded: true })).toBe(
      "Whether the carrier took the message never became known because the carrier did not answer in time, and its cost was refunded.",
    );
  });

  it("tells a carrier's word from this service's own", () => {
    expect(["validity_ended", "attempt_interrupted", null].map(carrierCode)).toEqual([null, null, null]);
    expect(["http_400", "27", "busy"].map(carrierCode)).toEqual(["http_400", "27", "busy"]);
  });
});
