import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newAccountId } from "../../src/crypto/ids.ts";
import { telephoneKey } from "../../src/model/message.ts";
import type { AccountRef } from "../../src/model/ref.ts";
import { mediaToken, readMediaToken, recordingKey, speechKey } from "../../src/recordings/signed-address.ts";
import type { Mime } from "../../src/recordings/signed-address.ts";

const SECRET = "local-only-secret-of-this-test-0000";
const NOW_MS = 1_790_000_000_123;
const ref: AccountRef = { accountId: newAccountId(SECRET, "media"), mode: "live" };
const hash = Uint8Array.from({ length: 32 }, (_, at) => (at * 7 + 200) % 256);
const objectKey = recordingKey(ref, hash);
const token = mediaToken(SECRET, objectKey, "audio/wav", NOW_MS + 1);

describe("media tokens", () => {
  it("open the recording that they were made for", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.constantFrom("live" as const, "test" as const),
        fc.constantFrom<Mime>("audio/wav", "audio/mpeg"),
        fc.string(),
        (bytes, mode, mime, seed) => {
          const key = recordingKey({ accountId: newAccountId(SECRET, seed), mode }, bytes);
          const made = mediaToken(SECRET, key, mime, NOW_MS + 1);
          expect(made).toMatch(/^[A-Za-z0-9_-]+$/u);
          expect(readMediaToken(SECRET, made, NOW_MS)).toEqual({ objectKey: key, mime });
        },
      ),
    );
  });

  it("open what was made for calls: a recording as telephones play it, and a spoken text", () => {
    for (const key of [telephoneKey(objectKey), speechKey(ref, hash), speechKey({ ...ref, mode: "test" }, hash)]) {
      const made = mediaToken(SECRET, key, "audio/wav", NOW_MS + 1);
      expect(readMediaToken(SECRET, made, NOW_MS)).toEqual({ objectKey: key, mime: "audio/wav" });
    }
  });

  it("expire at their time, to the millisecond", () => {
    expect(readMediaToken(SECRET, token, NOW_MS)).toEqual({ objectKey, mime: "audio/wav" });
    expect(readMediaToken(SECRET, token, NOW_MS + 1)).toBeNull();
    expect(readMediaToken(SECRET, token, NOW_MS + 100_000)).toBeNull();
  });

  it("are refused with any character altered, padded, cut or longer", () => {
    const alphabet = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. "];
    const opened: string[] = [];
    for (let at = 0; at < token.length; at++) {
      for (const letter of alphabet) {
        if (letter === token[at]) continue;
        const altered = token.slice(0, at) + letter + token.slice(at + 1);
        if (readMediaToken(SECRET, altered, NOW_MS)) opened.push(altered);
      }
    }
    expect(opened).toEqual([]);
    for (const wrong of ["", token.slice(0, -1), `${token}A`, `${token}=`, ` ${token}`]) {
      expect(readMediaToken(SECRET, wrong, NOW_MS), wrong).toBeNull();
    }
  });

  it("are refused under another secret", () => {
    expect(readMediaToken(`${SECRET}1`, token, NOW_MS)).toBeNull();
  });

  it("do not open recordings of another account or mode", () => {
    const twin = recordingKey({ ...ref, mode: "test" }, hash);
    expect(twin).not.toBe(objectKey);
    expect(mediaToken(SECRET, twin, "audio/wav", NOW_MS + 1)).not.toBe(token);
  });
});
