import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Outgoing } from "../../../src/carriers/carrier.ts";
import { patternOf, valuesOf } from "../../../src/carriers/template/placeholders.ts";
import { compiled, requestOf } from "../../../src/carriers/template/request.ts";
import { templateSettings } from "../../../src/carriers/template/settings.ts";
import type { CarrierSecrets } from "../../../src/model/carrier/carrier.ts";
import { CALLBACK_URL, MESSAGE, faultOf } from "../suite-template.ts";
import type { Given } from "../suite-template.ts";

function sent(given: Partial<Given>, change: Partial<Outgoing> = {}, secrets: CarrierSecrets = {}) {
  const settings = templateSettings.parse({ url: "http://gateway.test/send", ...given });
  return requestOf(compiled(settings), valuesOf({ ...MESSAGE, ...change }, CALLBACK_URL, secrets));
}

/** Values that would like to be something else where they stand. */
const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        ..."&=?#/\\%+;:@ \"'{}[],\r\n\t\0\u0085\u2028",
        "..",
        "{to}",
        "{secret.key}",
        "{{",
        "%00",
        "\ud800",
      ),
      { maxLength: 12 },
    )
    .map((pieces) => pieces.join("")),
);

describe("a value", () => {
  it("in an address stays one segment, whatever it is; one that would be another path is not sent", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const made = sent({ url: "http://gateway.test/a/{text}/b?k={text}&l=1", method: "GET" }, { text });
        if (!made) {
          expect([".", ".."]).toContain(text);
          return;
        }
        const url = new URL(made.url);
        expect([url.origin, url.hash, url.username]).toEqual(["http://gateway.test", "", ""]);
        const [, a, segment, b, ...more] = url.pathname.split("/");
        expect([a, b, more]).toEqual(["a", "b", []]);
        expect(decodeURIComponent(segment ?? "")).toBe(text.toWellFormed());
        expect([...url.searchParams.keys()]).toEqual(["k", "l"]);
        expect(url.searchParams.get("k")).toBe(text.toWellFormed());
      }),
    );
  });

  it.each([".", "..", "%2e", "a/../b"])("%s never leaves its segment", (text) => {
    const made = sent({ url: "http://gateway.test/a/{text}/b", method: "GET" }, { text });
    if (made) expect(new URL(made.url).pathname).toBe(`/a/${encodeURIComponent(text)}/b`);
    else expect(text).toMatch(/^\.\.?$/u);
  });

  it("in a query or a form is one entry, whatever it is", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const query = new URL(sent({ method: "GET", query: { t: "<{text}>", u: "1" } }, { text })?.url ?? "");
        expect([...query.searchParams]).toEqual([
          ["t", `<${text.toWellFormed()}>`],
          ["u", "1"],
        ]);
        const form = sent({ body_type: "form", body: { t: "<{text}>", u: "1" } }, { text })?.body ?? "";
        expect([...new URLSearchParams(form)]).toEqual([...query.searchParams]);
      }),
    );
  });

  it("in JSON is one string, whatever it is", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const body = sent({ body: { a: [{ t: "<{text}>" }], u: 1, v: null } }, { text })?.body ?? "";
        expect(JSON.parse(body)).toEqual({ a: [{ t: `<${text.toWellFormed()}>` }], u: 1, v: null });
      }),
    );
  });

  it("in a header is one line of ASCII that fetch takes, and says what it was but for line breaks", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const headers = sent({ headers: { "x-text": "<{text}>", "x-more": "1" } }, { text })?.headers ?? {};
        expect(Object.keys(headers)).toEqual(["x-text", "x-more"]);
        expect(headers["x-text"]).toMatch(/^[ -~]*$/u);
        expect(new Headers(headers).get("x-text")).toBe(headers["x-text"]);
        if (!text.includes("%")) {
          expect(decodeURIComponent(headers["x-text"] ?? "")).toBe(
            `<${text.toWellFormed().replaceAll(/[\r\n]/gu, "")}>`,
          );
        }
      }),
    );
  });

  it("is never filled in again, be it of the message or a secret", () => {
    const secrets = { key: "{text}{secret.other}", other: "never" };
    const made = sent({ body: { a: "{text}", b: "{secret.key}" } }, { text: "{to} {secret.other} {{" }, secrets);
    expect(JSON.parse(made?.body ?? "")).toEqual({ a: "{to} {secret.other} {{", b: "{text}{secret.other}" });
  });
});

describe("placeholders", () => {
  it("stand for what the message has", () => {
    const names =
      "ref to to_digits to10 text sender flash unicode operation dlt_entity dlt_template dlt_category callback_url";
    const body = Object.fromEntries(names.split(" ").map((name) => [name, `{${name}}`]));
    const dlt = { entityId: "1101", templateId: "1107", category: "otp" };
    const change = { text: "नमस्ते", content: { sender: "DASTAK", flash: true }, dlt } as const;
    expect(JSON.parse(sent({ body }, change)?.body ?? "")).toEqual({
      ref: "msg_1",
      to: "+919876543210",
      to_digits: "919876543210",
      to10: "9876543210",
      text: "नमस्ते",
      sender: "DASTAK",
      flash: "1",
      unicode: "1",
      operation: "sms",
      dlt_entity: "1101",
      dlt_template: "1107",
      dlt_category: "otp",
      callback_url: CALLBACK_URL,
    });
    expect(JSON.parse(sent({ body: { f: "{flash}", u: "{unicode}" } })?.body ?? "")).toEqual({ f: "0", u: "0" });
  });

  it("that come out empty leave their entry out, at every depth", () => {
    const given = {
      query: { from: "{sender}", v: "1" },
      headers: { "x-from": "{sender}", "x-v": "1" },
      body: { from: "{sender}", deep: { te: ["{dlt_template}"], to: "{to10}" }, gone: { pe: "{dlt_entity}" } },
    };
    const made = sent(given);
    expect(made?.url).toBe("http://gateway.test/send?v=1");
    expect(made?.headers).toEqual({ "content-type": "application/json", "x-v": "1" });
    expect(JSON.parse(made?.body ?? "")).toEqual({ deep: { to: "9876543210" } });
  });

  it("open with one brace; two are a brace", () => {
    const made = sent({ body: { a: "{{to}", b: "{{{to10}}", c: "}", d: "{{{{" } });
    expect(JSON.parse(made?.body ?? "")).toEqual({ a: "{to}", b: "{9876543210}", c: "}", d: "{{" });
  });

  it.each(["{", "{}", "{To}", "{nope}", "{secret.}", "{secret.A}", "{secret.a-b}", "a {to", "{ to }", "{to {ref}"])(
    "%s is none",
    (text) => {
      expect(patternOf(text)).toBeTypeOf("string");
    },
  );

  it.each<[Partial<Given>, string]>([
    [{ url: "http://gateway.test/{nope}" }, "settings.url"],
    [{ query: { a: "{nope}" } }, "settings.query.a"],
    [{ headers: { "x-a": "{nope}" } }, "settings.headers.x-a"],
    [{ body: { a: [{ b: "ok" }, { b: "{nope}" }] } }, "settings.body.a[1].b"],
    [{ body: { a: "{secret.key}" } }, "secrets.key"],
    [{ url: "http://gateway.test/{secret.constructor}" }, "secrets.constructor"],
  ])("that are unknown are a fault, with the path: %j", (given, param) => {
    expect(faultOf({ url: "http://gateway.test/send", ...given })).toBe(param);
  });

  it("of secrets that are there are none", () => {
    expect(faultOf({ url: "http://gateway.test/", body: { a: "{secret.key}" } }, { key: "k" })).toBeNull();
  });
});
