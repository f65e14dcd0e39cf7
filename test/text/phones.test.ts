import { describe, expect, it } from "vitest";
import { isMobileIn } from "../../src/text/phones.ts";

describe("a mobile in a listed country", () => {
  it.each([
    ["an Indian mobile", "+919876543210", ["IN"], true],
    ["a British mobile", "+447400123456", ["IN", "GB"], true],
    ["an American number, which may be a mobile or a landline", "+14155550132", ["US"], true],
    ["an Indian mobile where India is not listed", "+919876543210", ["GB"], false],
    ["a country that is not listed", "+447400123456", ["IN"], false],
    ["Canada, which shares +1 with the United States", "+14165550132", ["US"], false],
    ["a British landline", "+442079460958", ["GB"], false],
    ["a British personal number at a premium", "+447012345678", ["GB"], false],
    ["an American premium number", "+19005550123", ["US"], false],
    ["a Jamaican number where the United States are listed", "+18765550123", ["US"], false],
    ["an Indian landline", "+912212345678", ["IN"], false],
    ["Inmarsat", "+870773111632", ["IN", "US", "GB"], false],
    ["universal personal numbers", "+878101234567890", ["IN", "US", "GB"], false],
    ["Iridium", "+881612345678", ["IN", "US", "GB"], false],
    ["international networks", "+8821612345678", ["IN", "US", "GB"], false],
    ["iNum", "+883510012345678", ["IN", "US", "GB"], false],
    ["international premium rate", "+979123456789", ["IN", "US", "GB"], false],
    ["international shared cost", "+80812345678", ["IN", "US", "GB"], false],
    ["international freephone", "+80012345678", ["IN", "US", "GB"], false],
  ] as const)("%s", (_, phone, countries, may) => {
    expect(isMobileIn(phone, countries)).toBe(may);
  });
});
