import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextHours } from "../../src/dlt/hours.ts";
import { Rules, warningOf } from "../../src/dlt/judge.ts";
import { faultOfValues, otpPieces, usualValues } from "../../src/dlt/otp.ts";
import { samplesOf } from "../../src/dlt/samples.ts";
import type { DltRegistry } from "../../src/model/carrier/dlt.ts";
import { otpText } from "../../src/text/otp-text.ts";

// What the rules of an account say of a message, against contract §17 written down anew.

const HOURS = { from: 600, to: 1_260 };
const NOON = Date.parse("2026-11-22T12:00:00+05:30");
const NIGHT = Date.parse("2026-11-22T23:00:00+05:30");

const REGISTRY: DltRegistry = {
  entityId: "1201159159159159159",
  enforce: "on",
  headers: ["AAA", "BBB", "CCC"].map((header) => ({ header, category: "service_implicit" })),
  templates: [
    { templateId: "1000000001", headers: ["AAA"], category: "service_implicit", text: "a {#var#} b" },
    { templateId: "1000000002", headers: ["BBB", "AAA"], category: "promotional", text: "a {#num#} b" },
    { templateId: "1000000003", headers: ["BBB"], category: "transactional", text: "{#alp#}.c" },
  ],
  otp: null,
};

/** The same templates as the contract defines them, as expressions. */
const DEFINED = [/^a [^]{0,30} b$/u, /^a [0-9]{1,30} b$/u, /^[\p{L}\p{M}\p{Nd} .,:\-/&'()]{1,40}\.c$/u];

const text = fc
  .array(fc.constantFrom("a ", " b", ".c", "7", "12345678901234567890", "x", "_", "\n", "é", "क", "b", " "), {
    maxLength: 6,
  })
  .map((parts) => parts.join(""));

/** How many fixed characters a template has. */
const fixed = ({ text: of }: { text: string }) => of.replaceAll(/\{#\w+#\}/gu, "").length;

describe("the rules", () => {
  const rules = new Rules(REGISTRY);

  it("let through what the definition says, and nothing else", () => {
    const asked = fc.record({
      text: fc.oneof(
        text,
        text.map((middle) => `a ${middle} b`),
        text.map((begin) => `${begin}.c`),
      ),
      sender: fc.constantFrom(undefined, "AAA", "BBB", "CCC", "aaa"),
      atMs: fc.constantFrom(NOON, NIGHT),
    });
    let passed = 0;
    fc.assert(
      fc.property(asked, ({ text: given, sender, atMs }) => {
        const fitting = REGISTRY.templates.filter((_, at) => DEFINED[at]?.test(given.normalize("NFC")));
        const own = fitting.filter(({ headers }) => sender !== undefined && headers.includes(sender));
        const [best] = (own.length > 0 ? own : fitting).toSorted((one, other) => fixed(other) - fixed(one));
        const isKnown = sender === undefined || REGISTRY.headers.some(({ header }) => header === sender);
        const isOwn = sender === undefined || best?.headers.includes(sender) === true;
        const isDay = best?.category !== "promotional" || atMs === NOON;
        const {
          refusal,
          fields,
          sender: used,
        } = rules.judge({
          operation: "sms",
          text: given,
          ...(sender !== undefined && { sender }),
          atMs,
          hours: HOURS,
        });
        const code = refusal && ("dlt" in refusal ? refusal.dlt.code : "hours");
        if (!isKnown) expect(code).toBe(620);
        else if (!best) expect([633, 635]).toContain(code);
        else if (!isOwn) expect(code).toBe(634);
        else if (!isDay) expect(code).toBe("hours");
        else {
          passed += 1;
          expect(code).toBeNull();
          expect(fields).toEqual({ entityId: REGISTRY.entityId, templateId: best.templateId, category: best.category });
          expect(used).toBe(sender ?? best.headers[0]);
        }
        if (refusal) expect(fields.templateId).toBeNull();
      }),
      { seed: Number(process.env["TEST_SEED"] ?? 1), numRuns: 3_000 },
    );
    expect(passed).toBeGreaterThan(100);
  });

  it("warn in ASCII, with nothing of the text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 40 }),
        fc.constantFrom(undefined, "BBB", "DDD"),
        (given, sender) => {
          const { refusal } = rules.judge({
            operation: "sms",
            text: `§${given}`,
            ...(sender !== undefined && { sender }),
            atMs: NIGHT,
            hours: HOURS,
          });
          expect(refusal && warningOf(refusal)).toMatch(/^(?:620; header=DDD|63[35]; template=\d{10}; at=\d+)$/u);
        },
      ),
      { numRuns: 200 },
    );
  });
});

/** What is said of an own text that needs so many SMS. */
const tooLong = (sms: number) =>
  `otp.values make a text of ${sms} SMS with a code of 10 digits and a brand of 40 letters; it may be 3.`;

describe("one-time passwords", () => {
  it("never show their code in a refusal, whichever text and template they have", () => {
    const cases = fc.record({
      code: fc.stringMatching(/^[0-9]{4,8}$/u),
      brand: fc.stringMatching(/^[A-Za-z0-9 _]{1,20}$/u),
      template: fc.constantFrom("{#num#} for {#alp#}", "Hi {#alp#}: {#num#}!", "{#num#}{#alp#}."),
      own: fc.boolean(),
    });
    fc.assert(
      fc.property(cases, ({ code, brand, template, own }) => {
        const templates = [{ templateId: "1000000009", headers: ["AAA"], category: "otp" as const, text: template }];
        const values = template.startsWith("Hi") ? ["{brand}", "{otp}"] : usualValues(template);
        const registry = { ...REGISTRY, templates, otp: own ? { templateId: "1000000009", values } : null };
        const { refusal } = new Rules(registry).judge({
          operation: "otp",
          text: otpText(brand, code),
          atMs: NOON,
          hours: HOURS,
        });
        if (refusal && "dlt" in refusal) {
          const { found, expected } = refusal.dlt;
          for (let at = 0; at + 4 <= code.length; at += 1) {
            expect(found.replaceAll(brand, "")).not.toContain(code.slice(at, at + 4));
            expect(expected).not.toContain(code.slice(at, at + 4));
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it("are made of the template with a value for each variable", () => {
    const pieces = otpPieces("{#num#} for {#var#}{#var#} - {#num#} min", ["{otp}", "{brand}", " app", "10"]);
    expect(pieces).toEqual([0, " for ", 1, " app - 10 min"]);
    expect(otpText("Shop", "1234", pieces)).toBe("1234 for Shop app - 10 min");
    expect(faultOfValues("{#num#} for {#var#}", ["{otp}", "x".repeat(31)])).toContain("otp.values[1]");
    expect(faultOfValues("{#num#} for {#var#}", ["{otp}", "x".repeat(30)])).toBeNull();
  });

  it("need three SMS at most, with the longest code and a brand of 40 letters", () => {
    const rest = 3 * 153 - "0000000000 for ".length - 40;
    const usual = ["{otp}", "{brand}"];
    expect(faultOfValues(`{#num#} for {#var#}${"x".repeat(rest)}`, usual)).toBeNull();
    expect(faultOfValues(`{#num#} for {#var#}${"x".repeat(rest + 1)}`, usual)).toBe(tooLong(4));
    expect(faultOfValues(`{#num#} for {#var#}${"x".repeat(900)}`, usual)).toBe(tooLong(7));
    // Of another script, a SMS has fewer letters.
    expect(faultOfValues(`{#num#} for {#var#}${"क".repeat(150)}`, usual)).toBe(tooLong(4));
    expect(faultOfValues("{#var#} for {#url#}", [`{otp}${"x".repeat(300)}`, "https://acme.example/"])).toBeNull();
    const values = [`{otp}${"x".repeat(3_000_000)}`, `https://${"x".repeat(3_000_000)}`];
    expect(faultOfValues("{#var#} for {#url#}", values)).toMatch(/^otp\.values make a text of \d+ SMS/u);
  });
});

it.each([
  ["2026-11-22T09:59:59.999+05:30", "2026-11-22T10:00:00+05:30"],
  ["2026-11-22T10:00:00+05:30", null],
  ["2026-11-22T20:59:59.999+05:30", null],
  ["2026-11-22T21:00:00+05:30", "2026-11-23T10:00:00+05:30"],
  ["2026-12-31T23:59:00+05:30", "2027-01-01T10:00:00+05:30"],
  ["2026-11-22T00:00:00+05:30", "2026-11-22T10:00:00+05:30"],
])("at %s promotional messages may go out from %s on", (at, next) => {
  expect(nextHours(HOURS, Date.parse(at))).toBe(next === null ? null : Date.parse(next));
});

it("until 24:00 they may go out to the end of the day", () => {
  const hours = { from: 600, to: 1_440 };
  expect(nextHours(hours, Date.parse("2026-11-22T23:59:59+05:30"))).toBeNull();
  expect(nextHours(hours, Date.parse("2026-11-23T00:00:00+05:30"))).toBe(Date.parse("2026-11-23T10:00:00+05:30"));
});

it("makes templates of texts that were sent, with their lines and spaces", () => {
  const texts = [
    "Hi Asha,\nyour order 5 is  packed",
    "Hi Ravi,\nyour order 6 is  packed",
    "Bye",
    "One two three",
    "Bye",
  ];
  expect(samplesOf(texts, 8)).toEqual([
    { text: "Hi {#var#}\nyour order {#var#} is  packed", count: 2 },
    { text: "Bye", count: 2 },
  ]);
  expect(samplesOf(texts, 1)).toHaveLength(1);
});
