import { readFileSync } from "node:fs";
import path from "node:path";
import * as hb from "harfbuzzjs";
import { beforeAll, describe, expect, it } from "vitest";
import woff2 from "wawoff2";
import { ROOT } from "../../harness/program.ts";
import { WEIGHTS, cutFonts, dictionaryWords, sourceFont } from "../../scripts/fonts.mjs";

// The cut Devanagari fonts draw every word of the pages as the whole font does.

const CUT = path.join(ROOT, "src/ui/fonts/cut");

const read = () => ["regular", "bold", "label"].map((name) => readFileSync(path.join(CUT, `${name}.woff2`)));

function fontOf(ttf: Uint8Array, weight?: number) {
  const font = new hb.Font(new hb.Face(new hb.Blob(ttf), 0));
  if (weight !== undefined) font.setVariations([new hb.Variation("wght", weight)]);
  return font;
}

/** Every glyph of a shaped word: its cluster and outline, and the numbers of outline and place. */
function drawn(font: hb.Font, word: string) {
  const buffer = new hb.Buffer();
  buffer.addText(word);
  buffer.guessSegmentProperties();
  hb.shape(font, buffer);
  const places = buffer.getGlyphPositions();
  const glyphs = buffer.getGlyphInfos().map(({ codepoint, cluster }, at) => {
    const outline = codepoint === 0 ? "missing" : font.glyphToPath(codepoint);
    return { cluster, outline, ...places[at] };
  });
  const text = JSON.stringify(glyphs);
  return {
    shape: text.replaceAll(/-?\d+(?:\.\d+)?/gu, "#"),
    numbers: (text.match(/-?\d+(?:\.\d+)?/gu) ?? []).map(Number),
  };
}

/** Units of the font's square of 1,000 that rounding may move a point by, when a weight is fixed. */
const ROUNDING = 2;

describe("the Devanagari fonts", () => {
  let source: Uint8Array;
  const words = dictionaryWords();

  beforeAll(async () => {
    await cutFonts();
    source = await sourceFont();
  });

  it.each(Object.entries(WEIGHTS))("%s (%d) has every glyph and conjunct of the dictionary", async (name, weight) => {
    const whole = fontOf(source, weight);
    const cut = fontOf(await woff2.decompress(readFileSync(path.join(CUT, `${name}.woff2`))));
    expect(words.length).toBeGreaterThan(500);
    for (const word of words) {
      const [own, expected] = [drawn(cut, word), drawn(whole, word)];
      expect(own.shape, word).not.toContain("missing");
      expect(own.shape, word).toBe(expected.shape);
      const moved = own.numbers.map((number, at) => Math.abs(number - (expected.numbers[at] ?? Infinity)));
      expect(Math.max(...moved), word).toBeLessThanOrEqual(ROUNDING);
    }
  });

  it("would show a conjunct that is not in it: the cut has fewer than the whole font", async () => {
    const cut = fontOf(await woff2.decompress(readFileSync(path.join(CUT, "regular.woff2"))));
    const whole = fontOf(source, WEIGHTS.regular);
    const strange = ["ङ्क्ष्व", "ट्ठ्य", "द्घ्र"].filter((word) => drawn(cut, word).shape !== drawn(whole, word).shape);
    expect(strange.length).toBeGreaterThan(0);
  });

  it("are the same bytes for the same words", async () => {
    const before = read();
    await cutFonts({ again: true });
    expect(read().every((font, at) => font.equals(before[at]!))).toBe(true);
  });
});
