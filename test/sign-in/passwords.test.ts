import { describe, expect, it } from "vitest";
import { hashPassword, isPassword, passwordFault } from "../../src/sign-in/passwords.ts";

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
