import * as fc from "fast-check";
import { expect, it } from "vitest";
import { newAccountId } from "../../src/crypto/ids.ts";
import { makeQuote, readQuote } from "../../src/crypto/quote.ts";
import type { AccountRef } from "../../src/model/ref.ts";

const SECRET = "a secret of thirty-two characters";
const NEXT = `2:another secret of thirty-two chars.,1:${SECRET}`;
const ref: AccountRef = { accountId: newAccountId(SECRET, "quotes"), mode: "live" };
const promised = { units: 30_000, untilMs: Date.UTC(2026, 10, 22) };

it("reads what it made, for any price and time", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.maxSafeNat(), fc.string(), (units, untilMs, what) => {
      const one = { units: units % 2 ** 48, untilMs: untilMs % 2 ** 48 };
      expect(readQuote(SECRET, ref, what, makeQuote(SECRET, ref, what, one))).toMatchObject(one);
    }),
  );
});

it("makes another quote each time", () => {
  const quotes = [1, 2].map(() => makeQuote(SECRET, ref, "what", promised));
  const [one, other] = quotes.map((text) => readQuote(SECRET, ref, "what", text));
  expect(one?.id).not.toEqual(other?.id);
});

it("refuses another purpose, account and mode, and any character that was altered", () => {
  const text = makeQuote(SECRET, ref, "what", promised);
  expect(text).toMatch(/^quote_[0-9A-Za-z]+$/u);
  expect(readQuote(SECRET, ref, "what ", text)).toBeNull();
  expect(readQuote(SECRET, { ...ref, mode: "test" }, "what", text)).toBeNull();
  expect(readQuote(SECRET, { ...ref, accountId: newAccountId(SECRET, "another") }, "what", text)).toBeNull();
  for (let at = 0; at < text.length; at += 1) {
    const altered = text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
    expect(readQuote(SECRET, ref, "what", altered), altered).toBeNull();
  }
  for (const other of ["", "quote_", text.slice(0, -1), `${text}0`, text.replace("quote_", "msg_")]) {
    expect(readQuote(SECRET, ref, "what", other)).toBeNull();
  }
});

it("outlives a rotation of the secret, and not its removal", () => {
  const text = makeQuote(SECRET, ref, "what", promised);
  expect(readQuote(NEXT, ref, "what", text)).toMatchObject(promised);
  expect(readQuote("2:another secret of thirty-two chars.", ref, "what", text)).toBeNull();
  expect(readQuote(SECRET, ref, "what", makeQuote(NEXT, ref, "what", promised))).toBeNull();
});
