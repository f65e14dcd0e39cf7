import { describe, expect, it } from "vitest";
import type * as z from "zod";
import { english } from "../../src/http/faults.ts";
import type { Fault } from "../../src/http/faults.ts";
import {
  brandName,
  dialledCallee,
  e164,
  indianCallee,
  indianMobile,
  otpCode,
  parsedNumber,
  senderId,
  smsText,
  textUpTo,
} from "../../src/http/fields.ts";
import { codePoints } from "../../src/text/code-points.ts";

const phone = indianMobile("phone");

/** The only fault of a value: its sentence, and its hint if it has one. */
function faultOf(field: z.ZodType, value: unknown): { message: string; hint?: unknown } | null {
  const parsed = field.safeParse(value);
  if (parsed.success) return null;
  expect(parsed.error.issues).toHaveLength(1);
  const issue = parsed.error.issues[0]!;
  if (issue.code !== "custom") return { message: issue.message };
  const { error, hint } = english(issue.params!["fault"] as Fault);
  expect(issue.message).toBe(error);
  return { message: error, ...(hint !== undefined && { hint }) };
}

describe("every text field", () => {
  it.each([
    [phone, "phone"],
    [indianCallee, "callee"],
    [dialledCallee, "callee"],
    [e164, "phone"],
    [smsText, "message"],
    [otpCode, "otp"],
  ])("%#: is required, a string, and whole Unicode", (field, name) => {
    expect(faultOf(field, undefined)?.message).toBe(`${name} is required.`);
    for (const wrong of [null, 9_876_543_210, true, ["9876543210"], {}]) {
      expect(faultOf(field, wrong)?.message).toBe(`${name} must be a string.`);
    }
    expect(faultOf(field, "\ud83d")?.message).toBe(`${name} contains half of a character.`);
  });
});

describe("an Indian mobile", () => {
  it.each(["6000000000", "7999999999", "8123456789", "9876543210"])("accepts %s", (value) => {
    expect(phone.parse(value)).toBe(value);
  });

  it.each(["0123456789", "1123456789", "5876543210"])("refuses %s, which is not a mobile number", (value) => {
    expect(faultOf(phone, value)).toEqual({
      message: "phone must be an Indian mobile number, which begins with 6, 7, 8 or 9.",
    });
  });

  it.each(["+919876543210", "919876543210", "09876543210", "00919876543210", "98765 43210", "(+91) 98765-43210"])(
    "refuses %s and suggests what to send",
    (value) => {
      expect(faultOf(phone, value)).toEqual({
        message: "phone must be exactly 10 digits, without country code.",
        hint: "Send 9876543210.",
      });
    },
  );

  it.each([
    "",
    "987654321",
    "98765432101",
    "+14155550132",
    "९८७६५४३२१०",
    "９８７６５４３２１０",
    "987654321a",
    "9876543210\n",
  ])("refuses %j", (value) => {
    expect(faultOf(phone, value)?.message).toBe("phone must be exactly 10 digits, without country code.");
  });
});

describe("an Indian callee", () => {
  it.each(["9876543210", "1123456789", "2212345678", "4012345678"])("accepts %s", (value) => {
    expect(indianCallee.parse(value)).toBe(value);
  });

  it.each(["0112345678", "112345678", "11234567890", "+911123456789", ""])("refuses %j", (value) => {
    expect(faultOf(indianCallee, value)?.message).toContain("callee must be exactly 10 digits");
  });
});

describe("a number abroad", () => {
  // One number of each kind, in the format of its numbering plan; the last three belong to networks without a country.
  it.each([
    ["+14155550132", "US", "1"],
    ["+447400123456", "GB", "44"],
    ["+4915112345678", "DE", "49"],
    ["+971501234567", "AE", "971"],
    ["+6591234567", "SG", "65"],
    ["+77012345678", "KZ", "7"],
    ["+8801712345678", "BD", "880"],
    ["+5511987654321", "BR", "55"],
    ["+390612345678", "IT", "39"],
    ["+68812345", "TV", "688"],
    ["+919876543210", "IN", "91"],
    ["+881612345678", undefined, "881"],
    ["+883510012345678", undefined, "883"],
    ["+80012345678", undefined, "800"],
  ])("accepts %s", (value, country, callingCode) => {
    expect(e164.parse(value)).toBe(value);
    const number = parsedNumber(value);
    // Italy shares its calling code with the Vatican; the calling code alone decides where the number goes.
    if (country !== "IT") expect(number.country).toBe(country);
    expect(number.countryCallingCode).toBe(callingCode);
  });

  it.each(["14155550132", "919876543210"])("refuses %s and suggests what to send", (value) => {
    expect(faultOf(e164, value)?.hint).toBe(`Send +${value}.`);
  });

  it.each([
    "",
    "+",
    "+123456",
    "+1234567890123456",
    "+01234567890",
    "+1 415 555 0132",
    "+1-415-555-0132",
    "++14155550132",
  ])("refuses %j", (value) => {
    expect(faultOf(e164, value)?.message).toContain("phone must be + and 7 to 15 digits");
  });

  it.each(["+99912345678", "+2101234567", "+3831"])("refuses %s: no such country code, or too short", (value) => {
    expect(faultOf(e164, value)).not.toBeNull();
  });

  it.each(["+1415555", "+141555501321", "+659123456", "+9198765", "+88161234567"])(
    "refuses %s: a length that does not exist there",
    (value) => {
      expect(faultOf(e164, value)?.message).toBe("phone has a length that is not possible in its country.");
    },
  );

  it.each(["+911123456789", "+912212345678", "+915876543210"])("refuses %s: an Indian landline", (value) => {
    expect(faultOf(e164, value)?.message).toBe("phone is an Indian landline, which cannot receive an SMS.");
  });
});

describe("a dialled callee", () => {
  it.each(["14155550132", "919876543210", "911123456789", "447400123456", "881612345678"])("accepts %s", (value) => {
    expect(dialledCallee.parse(value)).toBe(value);
  });

  it("refuses a plus and suggests what to send", () => {
    expect(faultOf(dialledCallee, "+14155550132")?.hint).toBe("Send 14155550132.");
  });

  it.each(["", "1415555", "1234567890123456", "01155501320", "1 4155550132", "99912345678", "141555501321"])(
    "refuses %j",
    (value) => {
      expect(faultOf(dialledCallee, value)).not.toBeNull();
    },
  );
});

describe("texts", () => {
  it("are measured in code points", () => {
    expect(codePoints("👍🏽é")).toBe(3);
    expect(smsText.parse("👍".repeat(160))).toHaveLength(320);
    expect(faultOf(smsText, "👍".repeat(161))?.message).toBe("message must have 1 to 160 characters; it has 161.");
    expect(faultOf(smsText, "")?.message).toBe("message must have 1 to 160 characters; it has 0.");
    expect(textUpTo("text", 2).parse("👍🏽")).toBe("👍🏽");
  });

  it("stay as they are: nothing is trimmed or changed", () => {
    expect(smsText.parse("  a\r\n\0b ")).toBe("  a\r\n\0b ");
  });
});

describe("a sender", () => {
  it.each(["A", "DASTAK", "AX-Bank_1.0", "12345678901", "my shop"])("accepts %j", (value) => {
    expect(senderId.parse(value)).toBe(value);
  });

  it.each(["", "ABCDEFGHIJKL", "Küche", "A+B", "A\n", "दस्तक"])("refuses %j", (value) => {
    expect(faultOf(senderId, value)?.message).toContain("senderId must have 1 to 11");
  });

  it("is optional, and null counts as absent", () => {
    expect(senderId.parse(undefined)).toBeUndefined();
    expect(senderId.parse(null)).toBeUndefined();
    expect(faultOf(senderId, 7)?.message).toBe("senderId must be a string.");
  });
});

describe("a one-time password", () => {
  it.each(["0000", "0042", "12345678"])("accepts %s unchanged", (value) => {
    expect(otpCode.parse(value)).toBe(value);
  });

  it.each(["", "123", "123456789", "12a4", "१२३४", " 1234", "12 34", 1234])("refuses %j", (value) => {
    expect(faultOf(otpCode, value)?.message).toContain("otp must be a string");
  });
});

describe("a brand", () => {
  it.each(["X", "दस्तक 👍", "a".repeat(40), "👍".repeat(40)])("accepts %j", (value) => {
    expect(brandName.parse(value)).toBe(value);
  });

  it.each(["", "a".repeat(41), "two\nlines", "two\r", "two\u2028lines", "bell\u0007"])("refuses %j", (value) => {
    expect(faultOf(brandName, value)).not.toBeNull();
  });

  it("is optional, and null counts as absent", () => {
    expect(brandName.parse(undefined)).toBeUndefined();
    expect(brandName.parse(null)).toBeUndefined();
  });
});
