// Gathers the texts of the documentation into one file: guides
// (src/ui/docs/guides/en/NAME.md and hi/NAME.md, each with a title and a lead in its front matter; the English one also
// says its group in the menu and its place there), the samples of webhooks and
// WebSockets, and what is written for assistants.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./local.mjs";

const FOLDER = path.join(ROOT, "src/ui/docs");

const read = (file) => readFileSync(path.join(FOLDER, file), "utf8").trim();

/** Prettier aligns the columns of tables with spaces, which no reader of them sees. */
const withoutPadding = (text) =>
  text.replaceAll(/^\|.*\|$/gmu, (row) => row.replaceAll(/ {2,}/gu, " ").replaceAll(/-{4,}/gu, "---"));

/** One file: the fields of its front matter, and its text. Throws where a field is missing. */
function readGuide(language, name, fields) {
  const file = `guides/${language}/${name}`;
  const [, front, text] = /^---\n(.*?)\n---\n+(.*)$/su.exec(read(file)) ?? [];
  if (front === undefined) throw new Error(`src/ui/docs/${file} has no front matter`);
  const given = Object.fromEntries(front.split("\n").map((line) => line.split(/: (.*)/su, 2)));
  const missing = fields.filter((field) => !given[field]);
  if (missing.length > 0) throw new Error(`src/ui/docs/${file} must say its ${missing.join(", ")}`);
  return { ...given, text: withoutPadding(text) };
}

/** Every guide in both languages, in the order of the menu. Throws where one has no twin in the other language. */
export function readGuides() {
  const [en, hi] = ["en", "hi"].map((language) => readdirSync(path.join(FOLDER, "guides", language)).toSorted());
  if (en.join() !== hi.join()) throw new Error("src/ui/docs/guides: en and hi must have the same files");
  return en
    .map((name) => {
      const { group, order, ...english } = readGuide("en", name, ["title", "lead", "group", "order"]);
      const id = path.basename(name, ".md");
      return { id, group, order: Number(order), en: english, hi: readGuide("hi", name, ["title", "lead"]) };
    })
    .toSorted((a, b) => a.order - b.order);
}

/**
 * All texts of the documentation.
 *
 * @returns {import("../src/ui/docs/texts.ts").Texts}
 */
export function gatherTexts() {
  const verify = ["node", "python", "php", "go", "java", "ruby"].map((language) => ({
    language,
    code: read(`verify/${language}.txt`),
  }));
  const sockets = readdirSync(path.join(FOLDER, "sockets")).map((name) => [
    path.basename(name, ".txt"),
    read(`sockets/${name}`),
  ]);
  return {
    guides: readGuides(),
    verify,
    sockets: Object.fromEntries(sockets),
    notes: read("for-agents/notes.md"),
    skill: read("for-agents/skill.md"),
  };
}
