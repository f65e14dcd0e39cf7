import { describe, expect, it } from "vitest";

// The words of the pages keep to the glossary of CONTRIBUTING.md.

const SOURCES: Record<string, string> = import.meta.glob(
  ["../../src/ui/words/*.ts", "../../src/ui/docs/guides/*/*.md"],
  {
    query: "?raw",
    import: "default",
    eager: true,
  },
);

/** Words for which the glossary has another one. */
const NOT_USED = [
  /शेष|मूल्य|दाम|संचालक|सिक्क|विदेश|थोक|पाठ|हालत|ई-मेल|किसे"/u,
  /play coin|e-mail|voice file|SMS abroad|first call|went back|whoever/iu,
  // The nukta of Urdu words, in letters where it is not written.
  /[कखग]\u093c|[\u0958-\u095a]/u,
];

describe("the words of the pages", () => {
  it.each(Object.entries(SOURCES))("%s: one word for one thing", (_, source) => {
    const lines = source.normalize("NFC").split("\n");
    const wrong = lines.filter((line) => !line.trim().startsWith("//") && NOT_USED.some((word) => word.test(line)));
    expect(wrong).toEqual([]);
  });

  it("finds a word of another glossary", () => {
    expect(Object.keys(SOURCES).length).toBeGreaterThan(10);
    expect(NOT_USED.some((word) => word.test("क़ीमत"))).toBe(true);
  });
});
