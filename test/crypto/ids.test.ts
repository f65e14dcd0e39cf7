import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { base62 } from "../../src/crypto/base62.ts";
import {
  accountBytes,
  accountIdOf,
  accountOfName,
  messageId,
  newAccountId,
  newRequestId,
  objectName,
  randomId,
  readMessageId,
  timeOfRequest,
} from "../../src/crypto/ids.ts";
import type { AccountRef } from "../../src/model/ref.ts";

const SECRET = "local-only-secret-of-this-test-0000";
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const anyRef = fc.record({
  accountId: fc.uint8Array({ minLength: 8, maxLength: 8 }).map(accountIdOf),
  mode: fc.constantFrom("live" as const, "test" as const),
});
const anyPlace = fc.record({
  seq: fc.integer({ min: 0, max: 2 ** 40 - 1 }),
  index: fc.integer({ min: 0, max: 65_535 }),
});
const anyOperation = fc.constantFrom("sms", "sms_international", "otp", "tts", "voice");

/** Every text that differs from this one in exactly one character. */
function alterations(text: string, from: number): string[] {
  return [...text].flatMap((letter, at) =>
    at < from
      ? []
      : [...ALPHABET]
          .filter((other) => other !== letter)
          .map((other) => text.slice(0, at) + other + text.slice(at + 1)),
  );
}

describe("account ids", () => {
  it("survive a round trip through bytes and through the object's name", () => {
    fc.assert(
      fc.property(anyRef, (ref) => {
        const bytes = accountBytes(ref.accountId);
        expect(bytes && accountIdOf(bytes)).toBe(ref.accountId);
        expect(accountOfName(objectName(ref))).toEqual(ref);
      }),
    );
  });

  it("are the same for the same seed and secret, and random without a seed", () => {
    expect(newAccountId(SECRET, "a")).toBe(newAccountId(SECRET, "a"));
    expect(newAccountId(SECRET, "a")).not.toBe(newAccountId(SECRET, "b"));
    expect(newAccountId(SECRET, "a")).not.toBe(newAccountId(`${SECRET}1`, "a"));
    expect(newAccountId(SECRET, null)).not.toBe(newAccountId(SECRET, null));
  });

  it.each(["", "acc_", "acc_0", "Acc_00000000000", "acc_zzzzzzzzzzz", "acc_0000000000-", "acc_000000000000"])(
    "refuse %j",
    (text) => {
      expect(accountBytes(text)).toBeNull();
    },
  );
});

describe("message ids", () => {
  const ref: AccountRef = { accountId: newAccountId(SECRET, "messages"), mode: "live" };

  it("survive a round trip to account, mode and place", () => {
    fc.assert(
      fc.property(anyRef, anyPlace, anyOperation, (at, place, operation) => {
        const id = messageId(SECRET, at, operation, place);
        expect(id).toMatch(operation === "tts" || operation === "voice" ? /^call_/u : /^msg_/u);
        expect(readMessageId(SECRET, id)).toEqual({ ...at, ...place });
      }),
    );
  });

  it("depend only on account, mode and place, and are distinct", () => {
    expect(messageId(SECRET, ref, "sms", { seq: 7, index: 3 })).toBe(
      messageId(SECRET, ref, "otp", { seq: 7, index: 3 }),
    );
    const others = [
      messageId(SECRET, ref, "sms", { seq: 7, index: 4 }),
      messageId(SECRET, ref, "sms", { seq: 8, index: 3 }),
      messageId(SECRET, { ...ref, mode: "test" }, "sms", { seq: 7, index: 3 }),
    ];
    expect(others).not.toContain(messageId(SECRET, ref, "sms", { seq: 7, index: 3 }));
  });

  it("are refused with any character altered", () => {
    const id = messageId(SECRET, ref, "sms", { seq: 7, index: 3 });
    const read = alterations(id, "msg_".length).filter((altered) => readMessageId(SECRET, altered) !== null);
    expect(read).toEqual([]);
  });

  it("are refused without their prefix, with another prefix, cut, longer, or from another secret", () => {
    const id = messageId(SECRET, ref, "sms", { seq: 7, index: 3 });
    const bare = id.slice("msg_".length);
    for (const wrong of [bare, `acc_${bare}`, `msg_msg_${bare}`, id.slice(0, -1), `${id}0`, ` ${id}`, "", "msg_"]) {
      expect(readMessageId(SECRET, wrong), wrong).toBeNull();
    }
    expect(readMessageId(`${SECRET}1`, id)).toBeNull();
  });
});

describe("random ids", () => {
  it("carry their prefix and do not repeat", () => {
    const ids = Array.from({ length: 1_000 }, () => randomId("req"));
    expect(new Set(ids).size).toBe(1_000);
    for (const id of ids) expect(id).toMatch(/^req_[0-9A-Za-z]{17}$/u);
  });
});

describe("the id of a request", () => {
  const NOW_MS = Date.UTC(2027, 0, 1);

  it("has the time at which the request arrived, and sorts by it", () => {
    const times = [Date.UTC(2026, 10, 1), Date.UTC(2026, 10, 22, 12, 0, 0, 1), Date.UTC(2027, 0, 1)];
    const ids = times.map(newRequestId);
    expect(ids.map((id) => timeOfRequest(id, NOW_MS))).toEqual(times);
    expect(ids.toSorted()).toEqual(ids);
    for (const id of ids) expect(id).toMatch(/^req_[0-9A-Za-z]{17}$/u);
  });

  it("is another one for each request of the same moment", () => {
    const ids = Array.from({ length: 1_000 }, () => newRequestId(1_800_000_000_000));
    expect(new Set(ids).size).toBe(1_000);
  });

  it("is told from one that had no time, and from what is no id", () => {
    expect(timeOfRequest(newRequestId(NOW_MS + 90_000_000), NOW_MS)).toBe("unknown");
    expect(timeOfRequest(`req_${base62(new Uint8Array(12))}`, NOW_MS)).toBe("unknown");
    for (const text of ["", "req_", "req_x", `req_${"z".repeat(17)}`, `msg_${"0".repeat(17)}`]) {
      expect(timeOfRequest(text, NOW_MS)).toBeNull();
    }
  });
});
