// Gathers the guides of the documentation: src/ui/docs/guides/en/NAME.md and hi/NAME.md, each with a title and a lead in
// its front matter; the English one also says its group in the menu and its place there.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { ROOT } from "./local.mjs";

const FOLDER = path.join(ROOT, "src/ui/docs/guides");

/** One file: the fields of its front matter, and its text. Throws where a field is missing. */
function readGuide(language, name, fields) {
  const file = `${language}/${name}`;
  const [, front, text] = /^---\n(.*?)\n---\n+(.*)$/su.exec(readFileSync(path.join(FOLDER, file), "utf8")) ?? [];
  if (front === undefined) throw new Error(`src/ui/docs/guides/${file} has no front matter`);
  const given = Object.fromEntries(front.split("\n").map((line) => line.split(/: (.*)/su, 2)));
  const missing = fields.filter((field) => !given[field]);
  if (missing.length > 0) throw new Error(`src/ui/docs/guides/${file} lacks ${missing.join(", ")}`);
  // Prettier aligns the columns of tables with spaces, which no reader of them sees.
  return {
    ...given,
    text: text.trim().replaceAll(/^\|.*\|$/gmu, (row) => row.replaceAll(/ {2,}/gu, " ").replaceAll(/-{4,}/gu, "---")),
  };
}

/** Every guide in both languages, in the order of the menu. Throws where one has no twin in the other language. */
export function readGuides() {
  const [en, hi] = ["en", "hi"].map((language) => readdirSync(path.join(FOLDER, language)).toSorted());
  if (en.join() !== hi.join()) throw new Error("src/ui/docs/guides: en and hi must have the same files");
  return en
    .map((name) => {
      const { group, order, ...english } = readGuide("en", name, ["title", "lead", "group", "order"]);
      return {
        id: path.basename(name, ".md"),
        group,
        order: Number(order),
        en: english,
        hi: readGuide("hi", name, ["title", "lead"]),
      };
    })
    .toSorted((a, b) => a.order - b.order);
}
