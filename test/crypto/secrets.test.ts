import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newKeyId, showKey, unlistedSecretOf, verifyKey } from "../../src/crypto/api-key.ts";
import { messageId, newAccountId, readMessageId, unlistedSecretOfMessage } from "../../src/crypto/ids.ts";
import { seal, unseal } from "../../src/crypto/seal.ts";
import { isProved, readSecrets, secretsOf } from "../../src/crypto/secrets.ts";
import { mediaToken, readMediaToken } from "../../src/recordings/signed-address.ts";

const OLD = "a-plain-secret-of-an-older-version-0000";
const NEW = "another-secret-that-replaces-the-old-one";
const LISTED = `1:${OLD},2:${NEW}`;
const ROTATED = `2:${NEW},1:${OLD}`;
const DROPPED = `2:${NEW}`;

const ref = { accountId: "acc_0123456789A", mode: "live" as const };
const testRef = { ...ref, mode: "test" as const };
const objectKey = `acc_0123456789A/${"ab".repeat(32)}`;
const UNTIL = 1_900_000_000_000;

describe("the setting", () => {
  it("is one secret, which has the id 1, or a list, of which the first makes", () => {
    expect(secretsOf(OLD).current).toEqual({ id: 1, value: OLD });
    expect(secretsOf(ROTATED).all).toEqual([
      { id: 2, value: NEW },
      { id: 1, value: OLD },
    ]);
    expect(secretsOf(`2:${NEW}, 1:${OLD}`).all).toEqual(secretsOf(ROTATED).all);
    expect(secretsOf(ROTATED).current.id).toBe(2);
    expect(secretsOf(LISTED).current.id).toBe(1);
    expect(secretsOf(ROTATED).lowest).toEqual(secretsOf(LISTED).lowest);
  });

  it("may be a secret with colons and commas, as long as it is no list", () => {
    for (const plain of [`${OLD},1:${NEW}`, `a:b:${OLD}`, `:${OLD}`, ` ${OLD} `]) {
      expect(secretsOf(plain).all).toEqual([{ id: 1, value: plain }]);
    }
  });

  const NO_ID = "must be a secret, or a list such as 2:<secret>,1:<secret> with an id from 1 to 127 before each";

  it.each([
    ["short", "must have at least 32 characters"],
    [`2:short,1:${OLD}`, "the secret with the id 2 must have at least 32 characters"],
    [`2:${NEW},2:${OLD}`, "lists the id 2 twice"],
    [`2:${OLD},1:${OLD}`, "lists the same secret under the ids 2 and 1"],
    [`0:${NEW},1:${OLD}`, NO_ID],
    [`128:${NEW},1:${OLD}`, NO_ID],
    [`02:${NEW},1:${OLD}`, NO_ID],
    [`2:${NEW} ,1:${OLD}`, "the secret with the id 2 must have no space before or after it"],
    [`2:${NEW},${OLD}`, "the secret with the id 2 must have no comma in it"],
    [[1, 2, 3, 4, 5, 6].map((id) => `${id}:${OLD}${id}`).join(","), "lists more than 5 secrets"],
  ])("with a fault is refused in a sentence without a value (%#)", (text, fault) => {
    const read = readSecrets(text);
    expect(read).toEqual({ ok: false, fault });
    expect(() => secretsOf(text)).toThrow(fault);
  });

  it("shows no value where it is printed", () => {
    const secrets = secretsOf(ROTATED);
    expect(`${JSON.stringify(secrets)} ${JSON.stringify({ ...secrets })}`).not.toContain("secret-");
  });

  it("is one object for each text, so that the keys that it verified stay known", () => {
    expect(secretsOf(ROTATED)).toBe(secretsOf(`2:${NEW},1:${OLD}`));
    expect(secretsOf(ROTATED)).not.toBe(secretsOf(LISTED));
  });
});

// Made by the version before secrets had ids.
const MADE = {
  key: "dsk_live_0CxQZmwjaDqfwZBFF1otHPo8bNO8REa9THXee3R",
  testKey: "dsk_test_0CxQZmwjaDqgEpWMIdwbIoBgV94LvOXAYVXL1U5",
  message: "msg_01KydX7O4g3rH5mN7sMhwqeyz0MJdmTOH",
  call: "call_020Rys1xsALWv44jntqtcDFhgE4xiLwcN",
  media: "AAEAMa7i6ijyYKurq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urQnumDTOAAAA9--9i_l76Od4s5Jlcc0Th",
  testMedia: "AQAAMa7i6ijyYM3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3Nzc3NQnumDTOAAAAnpKMr5av9QpgMPE6-pRW-",
  sealed: "01484b20cdeedeb07d347b16e3b7096309fdea4d5c8cc963a93be6f1c32db03835d50717",
};

describe("what a plain secret made before", () => {
  it("is made by the secret with the id 1, byte for byte", () => {
    for (const setting of [OLD, `1:${OLD}`, LISTED]) {
      expect(showKey(setting, { ...ref, keyId: 77 })).toBe(MADE.key);
      expect(showKey(setting, { ...testRef, keyId: 0x8000_0005 })).toBe(MADE.testKey);
      expect(messageId(setting, ref, "sms", { seq: 12, index: 3 })).toBe(MADE.message);
      expect(messageId(setting, testRef, "tts", { seq: 5_000_000_000, index: 0 })).toBe(MADE.call);
      expect(mediaToken(setting, objectKey, "audio/mpeg", UNTIL)).toBe(MADE.media);
      const other = `acc_0123456789A.test/${"cd".repeat(32)}`;
      expect(mediaToken(setting, other, "audio/wav", UNTIL)).toBe(MADE.testMedia);
      expect(newAccountId(setting, "seed")).toBe("acc_DrJ5Hszkskq");
      expect(newKeyId(setting, "live", "seed")).toBe(124_094_447);
    }
  });

  it("is valid as long as that secret is listed, wherever, and then not any more", () => {
    for (const setting of [OLD, LISTED, ROTATED]) {
      expect(verifyKey(setting, MADE.key)).toEqual({ ...ref, keyId: 77, secretId: 1 });
      expect(readMessageId(setting, MADE.message)).toEqual({ ...ref, seq: 12, index: 3 });
      expect(readMediaToken(setting, MADE.media, 0)).toEqual({ objectKey, mime: "audio/mpeg" });
      expect(unseal(setting, ref.accountId, Buffer.from(MADE.sealed, "hex"))).toBe("Namaste");
      expect(unlistedSecretOf(setting, MADE.key)).toBeNull();
      expect(unlistedSecretOfMessage(setting, MADE.message)).toBeNull();
    }
    expect(verifyKey(DROPPED, MADE.key)).toBeNull();
    expect(readMessageId(DROPPED, MADE.message)).toBeNull();
    expect(readMediaToken(DROPPED, MADE.media, 0)).toBeNull();
    expect(() => unseal(DROPPED, ref.accountId, Buffer.from(MADE.sealed, "hex"))).toThrow(
      "SEAL_SECRET does not list the secret with the id 1, which sealed this",
    );
  });

  it("names the secret that is missing, for the operator", () => {
    expect(unlistedSecretOf(DROPPED, MADE.key)).toBe(1);
    expect(unlistedSecretOfMessage(DROPPED, MADE.message)).toBe(1);
    for (const other of ["", "dsk_live_", "msg_1", `${MADE.key}0`, MADE.message.toLowerCase()]) {
      expect(unlistedSecretOf(DROPPED, other)).toBeNull();
    }
  });
});

const anyId = fc.integer({ min: 1, max: 127 });

describe("what a listed secret makes", () => {
  it("carries its id, and is verified by it alone, in any order of the list", async () => {
    await fc.assert(
      fc.asyncProperty(anyId, anyId, fc.boolean(), async (id, other, test) => {
        fc.pre(id !== other);
        const own = test ? testRef : ref;
        const [alone, first, last] = [`${id}:${NEW}`, `${id}:${NEW},${other}:${OLD}`, `${other}:${OLD},${id}:${NEW}`];
        const swapped = `${id}:${OLD},${other}:${NEW}`;
        const key = showKey(first, { ...own, keyId: 5 });
        const message = messageId(first, own, "sms", { seq: 1, index: 2, secretId: id });
        const token = mediaToken(first, objectKey, "audio/wav", UNTIL);
        const sealed = await seal(first, ref.accountId, "Namaste");
        for (const setting of [alone, first, last]) {
          expect(verifyKey(setting, key)).toEqual({ ...own, keyId: 5, secretId: id });
          expect(readMessageId(setting, message)).toEqual({ ...own, seq: 1, index: 2 });
          expect(readMediaToken(setting, token, 0)).not.toBeNull();
          expect(unseal(setting, ref.accountId, sealed)).toBe("Namaste");
          // A message keeps its id, whichever secret makes now.
          expect(messageId(setting, own, "sms", { seq: 1, index: 2, secretId: id })).toBe(message);
        }
        for (const setting of [swapped, `${other}:${OLD}`, `${other}:${NEW}`]) {
          expect(verifyKey(setting, key)).toBeNull();
          expect(readMessageId(setting, message)).toBeNull();
          expect(readMediaToken(setting, token, 0)).toBeNull();
          expect(() => unseal(setting, ref.accountId, sealed)).toThrow();
        }
      }),
      { numRuns: 60 },
    );
  });

  it("is known as verified to the list that verified it, and to no other", () => {
    const key = showKey(ROTATED, { ...ref, keyId: 6 });
    expect(verifyKey(ROTATED, key)).not.toBeNull();
    expect(verifyKey(OLD, key)).toBeNull();
    expect(verifyKey(LISTED, key)).toBe(verifyKey(LISTED, key));
  });

  it("is a message's id under the present secret once its own is not listed", () => {
    const place = { seq: 1, index: 0, secretId: 1 };
    const id = messageId(DROPPED, ref, "sms", place);
    expect(readMessageId(DROPPED, id)).toEqual({ ...ref, seq: 1, index: 0 });
  });
});

describe("ids that are derived", () => {
  it("are the same until the lowest secret is taken from the list", () => {
    for (const setting of [LISTED, ROTATED]) {
      expect(newAccountId(setting, "seed")).toBe(newAccountId(OLD, "seed"));
      expect(newKeyId(setting, "test", "seed")).toBe(newKeyId(OLD, "test", "seed"));
    }
    expect(newAccountId(DROPPED, "seed")).not.toBe(newAccountId(OLD, "seed"));
  });
});

const proofOf = (secret: string) => Uint8Array.from(Buffer.from(secret));

describe("a proof without an id", () => {
  it("is one of any listed secret", () => {
    const proof = proofOf(OLD);
    expect(isProved(ROTATED, proof, proofOf)).toBe(true);
    expect(isProved(LISTED, proof, proofOf)).toBe(true);
    expect(isProved(DROPPED, proof, proofOf)).toBe(false);
  });
});
