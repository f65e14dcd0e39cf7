import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { Registry } from "../../src/dlt/registry.ts";
import type { Template } from "../../src/dlt/registry.ts";

// What the largest registry takes beside its texts. An account's object has 128 MB for all that it does, and a second
// registry in it while a page shows one.

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function usedMb(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}

const WORDS = "Dear customer, your order with this number ".repeat(30);

const largest = (): Template[] =>
  Array.from({ length: 10_000 }, (_, nth) => ({
    templateId: String(1_107_160_000_000 + nth),
    headers: ["ACMEIN"],
    category: "otp",
    text: `{#var#}${nth} ${WORDS.slice(0, 940)}{#num#} - Acme`,
  }));

it("is less than half of an object's, also once each template was compared, and says the same", () => {
  const templates = largest();
  const beforeMb = usedMb();
  const registry = new Registry(templates);
  expect(usedMb() - beforeMb).toBeLessThan(60);
  const text = `Hi 9999 ${WORDS.slice(0, 940)}x - Acme`;
  const found = registry.match(text);
  expect("mismatch" in found && found.mismatch).toMatchObject({
    code: 633,
    templateId: "1107160009999",
    expected: "{#num#}",
    found: "x - Acme",
  });
  expect(registry.match(text.replace("x -", "7 -"))).toHaveProperty("template.templateId", "1107160009999");
  expect(usedMb() - beforeMb).toBeLessThan(60);
});
