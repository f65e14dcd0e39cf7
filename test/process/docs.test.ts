import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { SECRET_NAMES, SETTINGS } from "../../src/config/settings.ts";

// Files, settings and scripts that the documents name must exist.

const ROOT = path.resolve(import.meta.dirname, "../..");
const DOCUMENTS = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "docs/operators.md",
  "docs/carriers.md",
  "docs/deploy.md",
  "docs/proof.md",
  "docs/runbook.md",
  "docs/data.md",
  "docs/backup.md",
  "docs/secrets.md",
];

const read = (file: string) => readFileSync(path.join(ROOT, file), "utf8");

it.each(DOCUMENTS)("%s names only files that exist", (document) => {
  const text = read(document);
  const paths = [
    ...text.matchAll(/(?<![\w/.])((?:src|test|scripts|migrations|bench|harness|torture)\/[\w./*-]*)/gu),
  ].map(([, found]) => found ?? "");
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/gu)].map(([, found]) =>
    path.join(path.dirname(document), found ?? ""),
  );
  const missing = [...paths, ...links].filter(
    (name) => !existsSync(path.join(ROOT, name)) && globSync(name, { cwd: ROOT }).length === 0,
  );
  expect(missing).toEqual([]);
});

it("names only settings and scripts that exist", () => {
  const text = DOCUMENTS.map(read).join("\n");
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const named = [...text.matchAll(/npm run ([a-z:]+)/gu)].map(([, name]) => name ?? "");
  expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  const set = [...text.matchAll(/--set ([A-Z_]{4,})=/gu)].map(([, name]) => name ?? "");
  expect(set.filter((name) => name !== "KEY" && !Object.hasOwn(SETTINGS.shape, name))).toEqual([]);
});

it("lists every secret in .dev.vars.example, and none with a value", () => {
  const lines = read(".dev.vars.example")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));
  expect(lines.toSorted()).toEqual(SECRET_NAMES.map((name) => `${name}=`).toSorted());
});
