import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withKeys } from "../../src/activity/list.ts";
import { matches } from "../../src/search/match.ts";
import type { Searched } from "../../src/search/match.ts";
import { parseSearch } from "../../src/search/parse.ts";
import { OPERATORS } from "../../src/search/terms.ts";

const NOW_MS = Date.parse("2026-11-21T09:00:00Z");
const parse = (text: string) => parseSearch(text, { nowMs: NOW_MS, operators: OPERATORS });

describe("a search that is read", () => {
  const message = fc.record<Searched>({
    to: fc.constantFrom("+919876543210", "+14155550132"),
    requestId: fc.constantFrom("req_Abc98", "req_xyz"),
    operation: fc.constantFrom("sms", "sms_international", "otp", "tts", "voice"),
    createdAt: fc.integer({ min: NOW_MS - 20 * 86_400_000, max: NOW_MS }),
    state: fc.constantFrom("queued", "delivered", "failed", "submitted"),
    refunded: fc.boolean(),
    keyId: fc.constantFrom(null, 1),
    charge: fc.integer({ min: 0, max: 60_000 }),
    text: fc.constantFrom("Your code", ""),
  });
  const asked = fc.constantFrom(
    "98",
    "req_ABC",
    "to:98765",
    "kind:call",
    "state:failed,refunded",
    "key:x",
    "cost:1..5",
    "after:7d",
    "before:yesterday",
    "request:req_xyz",
    'text:"your CODE"',
  );

  it("finds with - exactly what it does not find without", () => {
    const keys = [
      { keyId: 1, mode: "live" as const, name: "X", createdAt: 0, lastUsedAt: null, expiresAt: null, revokedAt: null },
    ];
    const read = (text: string) => withKeys(parse(text), keys).terms;
    fc.assert(
      fc.property(message, asked, asked, (row, one, other) => {
        expect(matches(read(`-${one}`), row)).toBe(!matches(read(one), row));
        expect(matches(read(`${one} ${other}`), row)).toBe(matches(read(one), row) && matches(read(other), row));
      }),
      { numRuns: 1_000 },
    );
  });

  it("resolves keys by name or id, and reports unknown ones", () => {
    const keys = [7, 8].map((keyId) => ({
      keyId,
      mode: "live" as const,
      name: keyId === 7 ? "Shop" : "shop",
      createdAt: 0,
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
    }));
    expect(withKeys(parse("key:SHOP"), keys).terms).toMatchObject([{ on: "keys", ids: [7, 8] }]);
    expect(withKeys(parse("-key:key_00000007"), keys).terms).toMatchObject([{ on: "keys", ids: [7], not: true }]);
    expect(withKeys(parse("key:key_000000ff"), keys).terms).toMatchObject([{ on: "keys", ids: [255] }]);
    const { terms, faults } = withKeys(parse("key:other"), keys);
    expect(terms).toEqual([]);
    expect(faults).toMatchObject([{ kind: "key", value: "other" }]);
  });
});
