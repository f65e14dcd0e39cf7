import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { SETTINGS } from "../../src/config/settings.ts";
import { ALERT_KINDS } from "../../src/model/alert.ts";

// The runbook and the kinds of alerts: each kind has its section, and each section a kind.

const RUNBOOK = readFileSync(path.resolve(import.meta.dirname, "../../docs/runbook.md"), "utf8");

const [, alerts = ""] = RUNBOOK.split("\n## Alerts\n");
const sections = alerts
  .split("\n### ")
  .slice(1)
  .map((section) => ({ kind: section.split("\n", 1)[0] ?? "", text: section }));

it("has one section for each kind of alert, and none for another", () => {
  expect(sections.map(({ kind }) => kind).toSorted()).toEqual(Object.keys(ALERT_KINDS).toSorted());
});

it.each(sections)("says of $kind what it means, what to look at, what to do and what not to do", ({ text }) => {
  const parts = [...text.matchAll(/^\*\*(.+?)\.\*\* (.+)$/gmu)];
  expect(parts.map(([, name]) => name)).toEqual(["Means", "Look at", "Do", "Don't"]);
  for (const [, , said = ""] of parts) expect(said.length).toBeGreaterThan(20);
});

it("names settings that exist", () => {
  const names = [...RUNBOOK.matchAll(/`(?<name>[A-Z]+(?:_[A-Z]+)+)`/gu)].map(({ groups }) => groups?.["name"] ?? "");
  const missing = names.filter((name) => !Object.hasOwn(SETTINGS.shape, name));
  expect(missing).toEqual([]);
});
