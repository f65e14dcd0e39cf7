import { describe, expect, it } from "vitest";
import { ledgerOf, openWorld } from "../world.ts";
import { ask, expectDone, expectEdge } from "./endpoint.ts";
import type { Endpoint, FieldRule } from "./endpoint.ts";

/** Values of every JSON type, all likely to be coerced by mistake. */
const VALUES: Record<FieldRule["type"] | "object", readonly unknown[]> = {
  string: ["1", "true", "", "9876543210"],
  number: [9_876_543_210, 1, 0],
  boolean: [true, false],
  list: [[], ["9876543210"]],
  object: [{}, { 0: "9876543210", length: 1 }],
};

/** Digits that are not ASCII, which no digit field accepts. */
const DEVANAGARI = "९८७६५४३२१०";
const HALVES = ["\ud800", "text \udc00 text", "\udc00\ud800"];

/** A value as it appears in the message of a failed test. */
const shown = (value: unknown) => JSON.stringify(value).slice(0, 200);

function refusedForm(name: string, rule: FieldRule, endpoint: Endpoint): void {
  it(`refuses every other JSON type`, async () => {
    const world = await openWorld();
    for (const [type, values] of Object.entries(VALUES)) {
      if (type === rule.type) continue;
      for (const value of values) {
        const reply = await ask(endpoint, world, { fields: { [name]: value } });
        expect(reply.status, JSON.stringify(value)).toBe(400);
        expectEdge(reply, 400, "invalid_request", { param: name, error: expect.stringMatching(`^${name} must `) });
      }
    }
    expect(await ledgerOf(world)).toHaveLength(1);
  });

  if (rule.type === "string") {
    it("refuses an unpaired surrogate", async () => {
      const world = await openWorld();
      for (const value of HALVES) {
        const reply = await ask(endpoint, world, { fields: { [name]: value } });
        expectEdge(reply, 400, "invalid_request", { param: name, error: expect.stringMatching(`^${name} `) });
      }
    });
  }
}

function absence(name: string, rule: FieldRule, endpoint: Endpoint): void {
  if (rule.required) {
    it("is required: absent or null is refused", async () => {
      const world = await openWorld();
      const absent = await ask(endpoint, world, { fields: { [name]: undefined } });
      expectEdge(absent, 400, "invalid_request", { param: name, error: `${name} is required.` });
      const reply = await ask(endpoint, world, { fields: { [name]: null } });
      expectEdge(reply, 400, "invalid_request", { param: name, error: expect.stringMatching(`^${name} must be `) });
    });
    return;
  }
  it("is optional, and null counts as absent", async () => {
    const world = await openWorld();
    const key = { "idempotency-key": "absent" };
    const absent = await ask(endpoint, world, { fields: { [name]: undefined }, headers: key });
    const reply = await ask(endpoint, world, { fields: { [name]: null }, headers: key });
    expectDone(absent);
    expect(reply.text).toBe(absent.text);
    expect(reply.headers.get("idempotent-replayed")).toBe("true");
  });
}

function edges(name: string, rule: FieldRule, endpoint: Endpoint): void {
  it("accepts values just inside its rule", async () => {
    const world = await openWorld({ balance: 1_000_000 });
    for (const value of rule.accepted) {
      const reply = await ask(endpoint, world, { fields: { [name]: value } });
      expect(reply.status, `${shown(value)}: ${reply.text}`).toBe(200);
    }
  });

  it("refuses values just outside, with one sentence that names the field", async () => {
    const world = await openWorld();
    for (const { value, error, param = name, hint } of rule.refused) {
      const reply = await ask(endpoint, world, { fields: { [name]: value } });
      const { request_id: _, ...body } = reply.body as Record<string, unknown>;
      expect(body, shown(value)).toEqual({
        success: false,
        error,
        code: "invalid_request",
        param,
        ...(hint !== undefined && { hint }),
      });
      expectEdge(reply, 400, "invalid_request");
    }
    expect(await ledgerOf(world)).toHaveLength(1);
  });
}

/** Field rules on both sides of each boundary (contract §5). */
export function fieldSuite(endpoint: Endpoint): void {
  for (const [name, rule] of Object.entries(endpoint.rules)) {
    describe(`field ${name}`, () => {
      absence(name, rule, endpoint);
      refusedForm(name, rule, endpoint);
      edges(name, rule, endpoint);
    });
  }
  if (endpoint.method === "GET") return;

  it("ignores unknown fields with any content", async () => {
    const world = await openWorld();
    const fields = { unknown: 5, Phone: [], "": null, nested: { deep: "\ud800" }, digits: DEVANAGARI, constructor: 1 };
    expectDone(await ask(endpoint, world, { fields }));
  });

  if (!endpoint.keyPlaces.includes("body")) {
    it("ignores the unknown field apiKey", async () => {
      const world = await openWorld();
      expectDone(await ask(endpoint, world, { fields: { apiKey: 5 } }));
    });
  }
}

/** A value to refuse for every digit field, because digits are ASCII (contract §5). */
export const devanagari = (error: string, prefix = "") => ({ value: prefix + DEVANAGARI, error });
