import { describe, expect, it } from "vitest";
import { readGrants, roleOf } from "../../src/model/operator.ts";

describe("OPERATORS", () => {
  it("gives roles to e-mails and to all others of a domain, whatever stands first", () => {
    const grants = readGrants(" *@Example.com = viewer, Alice@example.com=ADMIN,bob.k+x@example.com=support, ") ?? [];
    expect(grants).toHaveLength(3);
    expect(roleOf(grants, "alice@example.com")).toBe("admin");
    expect(roleOf(grants, "bob.k+x@example.com")).toBe("support");
    expect(roleOf(grants, "eve@example.com")).toBe("viewer");
    for (const email of ["eve@sub.example.com", "eve@xexample.com", "example.com", "*@example.org", ""]) {
      expect(roleOf(grants, email)).toBeNull();
    }
  });

  it.each([
    "alice@example.com",
    "alice@example.com=owner",
    "alice=admin",
    "*=viewer",
    "*@*=viewer",
    "*@com=viewer",
    "al*ce@example.com=admin;",
    "a@b@example.com=admin",
    "alice@example.com=admin, alice@example.com=viewer",
    "alice@example.com=admin bob@example.com=viewer",
  ])("is refused as %s", (text) => {
    expect(readGrants(text)).toBeNull();
  });
});
