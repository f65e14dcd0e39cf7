import { describe, expect, it } from "vitest";
import { parseConfig } from "../src/config/config.ts";
import { PRODUCTION, faultsOf } from "./world/settings.ts";

describe("DLT_HOURS", () => {
  it.each([
    ["09:30-24:00", { from: 570, to: 1_440 }],
    ["00:00-00:01", { from: 0, to: 1 }],
  ])("takes %s", (text, hours) => {
    expect(parseConfig({ ...PRODUCTION, DLT_HOURS: text }).DLT_HOURS).toEqual(hours);
  });

  it.each(["", "10-21", "21:00-10:00", "10:00-10:00", "10:00-24:01", "24:00-24:00", "10:60-21:00"])(
    "refuses %j",
    (text) => {
      expect(faultsOf({ ...PRODUCTION, DLT_HOURS: text })).toEqual([
        "DLT_HOURS: must be two times of a day, as in 10:00-21:00",
      ]);
    },
  );
});
