// Cuts the Devanagari fonts of the pages to the glyphs that the dictionary is written with: every Devanagari word in
// src is known, so a font needs only the glyphs, conjuncts included, that shaping these words takes. Two weights, so that
// no browser smears a bold of its own; and the one word हिन्दी for English pages. People's own texts may hold any
// conjunct: they have the whole font, src/ui/fonts/devanagari.woff2.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { ROOT } from "./local.mjs";

const require = createRequire(import.meta.url);

const SOURCE = "@fontsource-variable/noto-sans-devanagari/files/noto-sans-devanagari-devanagari-wght-normal.woff2";
const FOLDER = path.join(ROOT, "src/ui/fonts/cut");

/** Weights on the axis of the source: one for text, one for headings, buttons and badges. */
export const WEIGHTS = { regular: 450, bold: 600 };

/** A Devanagari word with its joiners and dandas; the digits are not used. */
const WORD = /[\u0900-\u0965\u0970-\u097f\u200c\u200d]+/gu;

/** The other language's own name, on English pages. */
const LABEL = ["हिन्दी"];

/** Every Devanagari word that pages are written with: those in src, and the months' names of `Intl`. */
export function dictionaryWords() {
  const files = readdirSync(path.join(ROOT, "src"), { recursive: true }).filter((name) => /\.(?:tsx?|md)$/u.test(name));
  const months = Array.from({ length: 12 }, (_, month) =>
    new Intl.DateTimeFormat("hi-IN", { month: "short" }).format(Date.UTC(2026, month, 15)),
  );
  const texts = [...files.map((name) => readFileSync(path.join(ROOT, "src", name), "utf8")), ...months];
  return [...new Set(texts.flatMap((text) => text.match(WORD) ?? []))].toSorted();
}

/** The source font with its weight axis, decompressed. */
export async function sourceFont() {
  const { default: woff2 } = await import("wawoff2");
  // A copy: the decoder's own memory is used again.
  return Uint8Array.from(await woff2.decompress(readFileSync(require.resolve(SOURCE))));
}

/** All glyphs that shaping the words takes, at any step: a conjunct is made from others that must stay too. */
async function glyphsOf(ttf, words) {
  const hb = await import("harfbuzzjs");
  const font = new hb.Font(new hb.Face(new hb.Blob(ttf), 0));
  const glyphs = new Set([0]);
  for (const word of words) {
    const buffer = new hb.Buffer();
    buffer.addText(word);
    buffer.guessSegmentProperties();
    for (const step of hb.shapeWithTrace(font, buffer, [], 0, hb.TracePhase.DONT_STOP)) {
      if (step.glyphs) for (const { g } of step.t) glyphs.add(g);
    }
  }
  return [...glyphs];
}

/** The program of HarfBuzz that cuts fonts (hb-subset). */
async function loadCutter() {
  const program = readFileSync(require.resolve("harfbuzzjs/dist/harfbuzz-subset.wasm"));
  const { instance } = await WebAssembly.instantiate(program);
  instance.exports["_initialize"]();
  return instance.exports;
}

const tagOf = (name) => [...name].reduce((tag, letter) => (tag << 8) + letter.charCodeAt(0), 0);

/** hb-subset.h: no hinting, and no glyph but the given ones. */
const FLAGS = 0x001 | 0x200;
const DROP_TABLE_TAG = 3;
const MEMORY_MODE_WRITABLE = 2;

/** A font with only these characters and glyphs, at one weight. */
function cut(hb, ttf, { words, glyphs, weight }) {
  const at = hb.malloc(ttf.byteLength);
  new Uint8Array(hb.memory.buffer).set(ttf, at);
  const blob = hb.hb_blob_create(at, ttf.byteLength, MEMORY_MODE_WRITABLE, 0, 0);
  const face = hb.hb_face_create(blob, 0);
  const input = hb.hb_subset_input_create_or_fail();
  const characters = hb.hb_subset_input_unicode_set(input);
  for (const letter of words.join("")) hb.hb_set_add(characters, letter.codePointAt(0));
  const kept = hb.hb_subset_input_glyph_set(input);
  for (const glyph of glyphs) hb.hb_set_add(kept, glyph);
  hb.hb_subset_input_set_flags(input, FLAGS);
  hb.hb_set_add(hb.hb_subset_input_set(input, DROP_TABLE_TAG), tagOf("STAT"));
  hb.hb_subset_input_pin_axis_location(input, face, tagOf("wght"), weight);
  const subset = hb.hb_subset_or_fail(face, input);
  if (subset === 0) throw new Error("HarfBuzz could not cut the font");
  const result = hb.hb_face_reference_blob(subset);
  const start = hb.hb_blob_get_data(result, 0);
  return new Uint8Array(hb.memory.buffer).slice(start, start + hb.hb_blob_get_length(result));
}

/** Replaces a file as a whole: several builds may run at the same time. */
function put(name, content) {
  const file = path.join(FOLDER, name);
  writeFileSync(`${file}.${process.pid}`, content);
  renameSync(`${file}.${process.pid}`, file);
}

/**
 * Writes src/ui/fonts/cut: regular.woff2, bold.woff2 and label.woff2. The same words, source and script give the same
 * bytes; if none of them changed, nothing is done, unless `again` asks for it.
 */
export async function cutFonts({ again = false } = {}) {
  const words = dictionaryWords();
  const inputs = [words.join(" "), readFileSync(require.resolve(SOURCE)), readFileSync(import.meta.filename)];
  const hash = inputs.reduce((sum, input) => sum.update(input), createHash("sha256")).digest("hex");
  const mark = path.join(FOLDER, "inputs");
  if (!again && existsSync(mark) && readFileSync(mark, "utf8") === hash) return;
  mkdirSync(FOLDER, { recursive: true });
  const { default: woff2 } = await import("wawoff2");
  const ttf = await sourceFont();
  const hb = await loadCutter();
  const all = await glyphsOf(ttf, words);
  const fonts = {
    regular: { words, glyphs: all, weight: WEIGHTS.regular },
    bold: { words, glyphs: all, weight: WEIGHTS.bold },
    label: { words: LABEL, glyphs: await glyphsOf(ttf, LABEL), weight: WEIGHTS.regular },
  };
  for (const [name, what] of Object.entries(fonts)) put(`${name}.woff2`, await woff2.compress(cut(hb, ttf, what)));
  put("inputs", hash);
}
