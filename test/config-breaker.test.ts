import { describe, expect, it } from "vitest";
import { PRODUCTION, faultsOf } from "./world/settings.ts";

describe("the settings of the breaker", () => {
  it.each([
    ["BREAKER_FAILURES", "0"],
    ["BREAKER_FAILURES", "1001"],
    ["BREAKER_OPEN_MS", "-1"],
  ])("refuse %s as %s", (name, value) => {
    const faults = faultsOf({ ...PRODUCTION, [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${name}: `, "u"));
  });
});
