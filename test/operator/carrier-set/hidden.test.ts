import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerWithout, withoutSecrets } from "../../../src/operator/carrier-set/hidden.ts";

// A raw answer without secrets (contract §16.1): as they are, percent-encoded, in Base64, alone and beside other bytes.

const SECRET = "s3cr3t+/ é&=pass";
const hidden = (text: string, secret = SECRET) => withoutSecrets(text, { password: secret });
const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("a secret in an answer", () => {
  it.each([
    ["itself", SECRET],
    ["percent-encoded", encodeURIComponent(SECRET)],
    ["percent-encoded in small letters", encodeURIComponent(SECRET).toLowerCase()],
    ["in a form", new URLSearchParams({ p: SECRET }).toString().slice(2)],
    ["with every byte percent-encoded", [...Buffer.from(SECRET)].map((byte) => `%${byte.toString(16)}`).join("")],
    ["in JSON", JSON.stringify(SECRET).slice(1, -1)],
    ["in JSON with escapes", "s3cr3t+\\/ \\u00e9\\u0026=pass"],
    ["in Base64", base64(SECRET)],
    ["in Base64 without padding", base64(SECRET).replace(/=+$/u, "")],
    ["in Base64 for addresses", Buffer.from(SECRET).toString("base64url")],
    ["in Base64, percent-encoded", encodeURIComponent(base64(SECRET))],
  ])("%s is masked", (_, form) => {
    expect(hidden(`{"you_sent":"${form}","ok":1}`)).toBe('{"you_sent":"***","ok":1}');
  });

  it.each(["", "a", "ab", "user", "user:", "a longer name: "])("in Base64 after %j is masked", (before) => {
    for (const after of ["", "x", "xy", "xyz"]) {
      const shown = hidden(`Basic ${base64(before + SECRET + after)} end`);
      expect(shown).toBe("Basic *** end");
    }
  });

  it("is masked wherever it stands, and all else stays", () => {
    expect(hidden(`${SECRET}${SECRET} and ${SECRET}`)).toBe("*** and ***");
    expect(hidden("nothing of it: s3cr3t")).toBe("nothing of it: s3cr3t");
    expect(withoutSecrets("abc abcd", { short: "abc", long: "abcd" })).toBe("*** ***");
    expect(withoutSecrets("as it is", { empty: "" })).toBe("as it is");
  });

  it("of Standard Webhooks is masked without its prefix, too", () => {
    const key = base64("a gateway's key of 32 bytes, ok?");
    expect(hidden(`${key} whsec_${key}`, `whsec_${key}`)).toBe("*** ***");
  });

  it("of any text is never found again, in no form", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 4, maxLength: 30 }),
        fc.string(),
        fc.string(),
        (secret, one, other) => {
          const forms = [
            secret,
            encodeURIComponent(secret.toWellFormed()),
            base64(secret),
            base64(one + secret + other),
          ];
          for (const form of forms) {
            const shown = hidden(`<${one}|${form}|${other}>`, secret);
            expect(shown.includes(form) && form !== "***" && !"***".includes(form)).toBe(false);
          }
        },
      ),
    );
  });

  it("is looked for in linear time", () => {
    const long = "QUJD".repeat(16_384);
    expect(hidden(long, "ABCABCABCABC")).not.toContain("QUJDQUJDQUJDQUJD");
    expect(hidden("%41".repeat(20_000), "B")).toBe("%41".repeat(20_000));
  });
});

it("is masked in headers and the body, and other answers stay", () => {
  const answer = { status: 200, headers: { "x-auth": `Basic ${base64(`u:${SECRET}`)}`, date: "now" }, body: SECRET };
  expect(answerWithout(answer, { password: SECRET })).toEqual({
    status: 200,
    headers: { "x-auth": "Basic ***", date: "now" },
    body: "***",
  });
  const smpp = { command_status: 0, message_id: "17" };
  expect(answerWithout(smpp, { password: SECRET })).toEqual(smpp);
  expect(answerWithout(null, { password: SECRET })).toBeNull();
});
