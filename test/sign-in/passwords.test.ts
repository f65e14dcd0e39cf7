import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import packed from "../../src/sign-in/common-passwords.json";
import { memberOf } from "../../src/sign-in/common-passwords.ts";
import * as passwords from "../../src/sign-in/passwords.ts";

const { hashPassword, isPassword } = passwords;

const isCommon = memberOf(packed);
const passwordFault = (password: string, known: readonly string[]) =>
  passwords.passwordFault(password, known, isCommon);

/** The arguments of a check to scrypt: text, length of salt, length of hash, and cost. */
async function workOf(stored: string | null): Promise<unknown[]> {
  const work: unknown[] = [];
  await isPassword("something else", stored, async (text, salt, size, cost) => {
    work.push([text, salt.length, size, cost]);
    return Buffer.alloc(size);
  });
  return work;
}

describe("a stored password", () => {
  it("opens for the password and for nothing else", async () => {
    const stored = await hashPassword("correct horse battery");
    expect(stored).toMatch(/^scrypt\$16384\$8\$1\$[\w-]{22}\$[\w-]{43}$/u);
    expect(await isPassword("correct horse battery", stored)).toBe(true);
    for (const other of ["correct horse batter", "Correct horse battery", "correct horse battery ", ""]) {
      expect(await isPassword(other, stored)).toBe(false);
    }
  });

  it("has its own salt, and stores its parameters", async () => {
    const [one, other] = await Promise.all([hashPassword("same password"), hashPassword("same password")]);
    expect(one).not.toBe(other);
    // Made with N = 1024 by another program: the stored parameters decide how it is checked.
    const old =
      "scrypt$1024$8$16$TmFDbA$_bq-HJ00cgB4VucZDQHp_nxq18vII3gw53N2Y0s3MWIurzDZLiKjiG_xCSedmDDaxyevuUqD7m2DYMvfoswGQA";
    expect(await isPassword("password", old)).toBe(true);
    expect(await isPassword("passwort", old)).toBe(false);
  });

  it("accepts composed and decomposed forms of the same character", async () => {
    expect(await isPassword("cafe\u0301 au lait", await hashPassword("caf\u00e9 au lait"))).toBe(true);
  });

  it("that does not exist takes as much work as one that does, and never opens", async () => {
    const known = await workOf(await hashPassword("correct horse battery"));
    expect(known).toEqual([["something else", 16, 32, { N: 16_384, r: 8, p: 1 }]]);
    expect(await workOf(null)).toEqual(known);
    for (const password of ["", "\0", "something else"]) expect(await isPassword(password, null)).toBe(false);
  });
});

describe("a new password", () => {
  const known = ["asha.rao@example.com", "9876543210", "Asha Rao of Pune"];

  it.each([
    ["short", "nine char"],
    ["short", "😀😀😀😀😀😀😀😀😀"],
    ["long", "ab".repeat(100) + "c"],
    ["obvious", "aaaaaaaaaaaa"],
    ["obvious", "1234567890"],
    ["obvious", "Password-123"],
    ["obvious", "asha.rao@example.com"],
    ["obvious", "AshaRao@Example.com"],
    ["obvious", "98765 43210"],
    ["obvious", "asha rao of pune"],
  ])("is too %s: %s", (fault, password) => {
    expect(passwordFault(password, known)).toBe(fault);
  });

  it.each(["correct horse", "मेरा पासवर्ड लंबा है", "x9$kQ2!mZp", "ab".repeat(98) + "cdef"])("may be %s", (password) => {
    expect(passwordFault(password, known)).toBeNull();
  });
});

/** The words that leaked passwords most often consist of, as every published list has them. */
const WORDS =
  "password iloveyou monkey dragon football baseball letmein master sunshine princess shadow superman michael jordan welcome charlie ashley jennifer daniel thomas soccer killer george andrew hunter computer internet secret summer winter flower cheese freedom whatever starwars batman pokemon naruto liverpool chelsea arsenal india krishna ganesh mumbai sachin jaihind admin qwerty".split(
    " ",
  );

/** What people put after a word to make it long enough or to satisfy a rule. */
const ENDINGS =
  "1 12 123 1234 12345 123456 1234567 12345678 123456789 ! !! !1 1! 12! 123! @1 @12 @123 @1234 #1 #123 $123 2020 2021 2022 2023 2024 2025 2026 @2024 @2025 @2026 00 01 07 10 11 22 69 77 99 100 101 111 321 420 555 666 777 786 007 1990 1995 1998 1999 2000 _123 .123 *123 123# 123$ 143 9999".split(
    " ",
  );

describe("a common password", () => {
  it.each(
    "Password1! qwerty12345 abcdefghij 1qaz2wsx3edc passw0rd123 iloveyou12 football12 123qweasdzxc q1w2e3r4t5 0987654321a monkey1234 letmein123 Qwerty123! sunshine12 P@$$w0rd2026 $unshine99 1loveyou123 jaihind@123 zxcvbnm,./1 passwordpassword abc123abc123 112233445566 +919876543210 blackberry christopher".split(
      " ",
    ),
  )("is refused: %s", (password) => {
    expect(passwordFault(password, [])).toBe("obvious");
  });

  it("is refused with every usual ending and spelling: more than three thousand of them", () => {
    const spellings = [
      (word: string) => word,
      (word: string) => word.replace(/^./u, (letter) => letter.toUpperCase()),
      (word: string) => word.replaceAll("o", "0").replaceAll("a", "@").replaceAll("e", "3"),
    ];
    const all = WORDS.flatMap((word) => ENDINGS.flatMap((ending) => spellings.map((spell) => spell(word) + ending)));
    const tried = new Set(all.filter((password) => password.length >= 10));
    expect(tried.size).toBeGreaterThan(3_000);
    expect([...tried].filter((password) => passwordFault(password, []) === null)).toEqual([]);
  });

  it("is refused when it consists of what others know of its owner", () => {
    const known = ["asha.rao@example.com", "+919876543210", "9876543210", "Asha Rao"];
    for (const password of [
      "AshaRao12345",
      "asha@rao#2026",
      "RaoAsha!!!",
      "dastak@2026",
      "Dastak.Asha1",
      "Asha-9876543210",
    ]) {
      expect(passwordFault(password, known), password).toBe("obvious");
      expect(passwordFault(`${password} under the mango tree`, known)).toBeNull();
    }
  });

  it("takes less than 20 kB to know, and the set has no text that was not put in", () => {
    expect(JSON.stringify(packed).length).toBeLessThan(20_000);
    const found = Array.from({ length: 4_000 }, (_, n) => `no such word ${n}`).filter((text) => isCommon(text));
    expect(found.length).toBeLessThan(8);
  });
});

describe("a random password", () => {
  const syllable = fc.constantFrom(
    ..."ba chi dho ga kel mi nu pra rit so tul va yam zir lo hen quo jex wub fim".split(" "),
  );
  const word = fc.tuple(syllable, syllable, syllable).map((parts) => parts.join(""));
  const letters = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789!#%&*?";

  it("of three made-up words or of fourteen characters is accepted", () => {
    const phrase = fc.tuple(word, word, word).filter((words) => new Set(words).size === 3);
    const mixed = fc.array(fc.constantFrom(...letters), { minLength: 14, maxLength: 14 });
    const passwords = fc.oneof(
      phrase.map((words) => words.join(" ")),
      mixed.map((signs) => signs.join("")),
    );
    const known = ["asha.rao@example.com", "Asha Rao"];
    const refused = fc.sample(passwords, 2_000).filter((password) => passwordFault(password, known) !== null);
    // The packed set finds a text that was not put in once in 8,192 times, and a password has up to nine texts.
    expect(refused.length, refused.join("\n")).toBeLessThan(15);
  });
});
