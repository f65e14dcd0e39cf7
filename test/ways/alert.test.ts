import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countSegments, isGsm } from "../../src/text/segments.ts";
import { alertText } from "../../src/ways/alert.ts";

const alert = (status: string, annotations: object = {}, labels: object = { alertname: "DiskFull" }) => ({
  status,
  labels,
  annotations,
});

describe("the SMS of an alert", () => {
  it("says how many fire, not how many there are", () => {
    const alerts = [alert("resolved", { summary: "db0" }), alert("firing", { summary: "db1" }), alert("firing")];
    expect(alertText({ status: "firing", alerts, groupLabels: { alertname: "Disk" } })).toBe("FIRING (2) Disk: db1");
    expect(alertText({ status: "resolved", alerts: [alert("resolved")] })).toBe("RESOLVED DiskFull");
  });

  it("reads what is there, whatever is missing or of another type", () => {
    expect(alertText({ alerts: [] })).toBe("ALERT alert");
    expect(alertText({ alerts: [null, 5, "x", []], status: 7, commonLabels: [], commonAnnotations: "x" })).toBe(
      "7 (4) alert",
    );
    expect(alertText({ alerts: "x", msg: "y" })).toBeNull();
    expect(alertText({ msg: "y", heartbeat: null })).toBeNull();
    expect(alertText({ msg: "🔴", heartbeat: null, monitor: null })).toBeNull();
  });

  it("is cut to one segment of GSM-7, in which a bracket counts twice", () => {
    const text = alertText({ alerts: [alert("firing", { summary: "[]".repeat(100) })] }) ?? "";
    expect(countSegments(text)).toEqual({ encoding: "GSM-7", segments: 1 });
    expect(text).toMatch(/^FIRING DiskFull: [[\]]{60,}\.\.\.$/u);
    expect(text.length).toBeGreaterThan(85);
  });

  it("is one line of at most 160 characters, and of one segment if GSM-7 has its letters", () => {
    const letters = fc.constantFrom(
      "a",
      "Z",
      " ",
      "\n",
      "[",
      "€",
      "“",
      "–",
      "…",
      "🔴",
      "⚠️",
      "₹",
      "क",
      "é",
      "x",
      "\ud83d",
    );
    const text = fc.oneof(fc.string({ unit: letters, maxLength: 400 }), fc.string({ maxLength: 400 }));
    fc.assert(
      fc.property(text, text, fc.boolean(), (summary, name, isKuma) => {
        const body = isKuma
          ? { heartbeat: {}, monitor: {}, msg: `x${summary}` }
          : { status: "firing", alerts: [alert("firing", { summary }, { alertname: name })] };
        const sms = alertText(body) ?? "";
        expect([...sms].length).toBeGreaterThan(0);
        expect([...sms].length).toBeLessThanOrEqual(160);
        expect(sms).toBe(sms.trim());
        expect(sms).not.toMatch(/[\n\t]/u);
        expect(sms.isWellFormed()).toBe(true);
        const { encoding, segments } = countSegments(sms);
        if (encoding === "GSM-7") expect(segments).toBe(1);
        else expect([...sms].some((letter) => !isGsm(letter))).toBe(true);
      }),
    );
  });
});
