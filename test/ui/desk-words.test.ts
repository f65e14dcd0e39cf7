import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { readCarrierTexts } from "../../src/ui/desk/carrier-set/texts.ts";
import * as stored from "../../src/ui/desk/words.ts";
import { deskAccess } from "../../src/ui/words/desk-access.ts";
import { en } from "../../src/ui/words/desk-carriers.ts";
import { hi } from "../../src/ui/words/desk-carriers-hi.ts";
import { deskHealth } from "../../src/ui/words/desk-health.ts";
import { deskWords } from "../../src/ui/words/desk.ts";
import { PRESETS } from "../../src/carriers/presets.ts";

// The words of the operator's pages are a static file: what is read of it is what was written.

/** Every word by its path; a sentence with values as it says these. */
function wordsIn(value: unknown, path = ""): [string, unknown][] {
  if (typeof value === "function") {
    const values = Array.from({ length: 4 }, (_, nth) => `value ${nth}`);
    return [[path, (value as (...given: string[]) => string)(...values)]];
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [[path, value]];
  return Object.entries(value).flatMap(([name, one]) => wordsIn(one, `${path}.${name}`));
}

/** The places of values in a text. */
const placesIn = (text: string): string[] => [...text.matchAll(/\{\w+\}/gu)].map(([place]) => place).toSorted();

describe("the words of the desk", () => {
  it("are read from the file as they were written, sentences with values among them", async () => {
    await stored.readDeskWords(env);
    const pairs = [
      [stored.deskWords, deskWords],
      [stored.deskAccess, deskAccess],
      [stored.deskHealth, deskHealth],
    ] as const;
    for (const [found, written] of pairs) {
      for (const lang of ["en", "hi"] as const) expect(wordsIn(found[lang])).toEqual(wordsIn(written[lang]));
    }
  });

  it("of carriers have the same places of values in both languages, and come with every description", async () => {
    const english = new Map(wordsIn(en) as [string, string][]);
    for (const [path, text] of wordsIn(hi) as [string, string][]) {
      if (path.startsWith(".hints")) continue;
      expect(placesIn(text), path).toEqual(placesIn(english.get(path) ?? ""));
    }
    expect(await readCarrierTexts(env, "hi")).toEqual({
      ...hi,
      presets: JSON.parse(JSON.stringify(PRESETS)) as unknown,
    });
  });
});
