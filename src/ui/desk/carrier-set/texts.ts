import { createContext, useContext } from "hono/jsx";
import { asset } from "../../../http/assets.ts";
import type { Preset } from "../../../operator/carrier-set/read-aloud.ts";
import type { Lang } from "../../lang.ts";
import type { CarrierWords } from "../../words/desk-carriers.ts";
import built from "../texts.json";

// The words of the pages of carriers and routes, and the descriptions to start from: a static file, which no other page
// needs (scripts/build.mjs).

interface Stored {
  en: CarrierWords;
  hi: CarrierWords;
  /** Descriptions of known providers, by a short name. */
  presets: Readonly<Record<string, Preset>>;
}

export interface CarrierTexts extends CarrierWords {
  presets: Stored["presets"];
}

const parsed = new WeakMap<ArrayBuffer, Stored>();

/** The words in this language; ends the request with 503 where they cannot be read. */
export async function readCarrierTexts(env: Env, lang: Lang): Promise<CarrierTexts> {
  const bytes = await asset(env, built.carriers);
  // scripts/build.mjs made the JSON of exactly this.
  const stored = parsed.get(bytes) ?? (JSON.parse(new TextDecoder().decode(bytes)) as Stored);
  parsed.set(bytes, stored);
  return { ...stored[lang], presets: stored.presets };
}

export const CarrierTextsContext = createContext<CarrierTexts | null>(null);

/** The words of the page that is being rendered. */
export function useTexts(): CarrierTexts {
  const texts = useContext(CarrierTextsContext);
  if (!texts) throw new Error("a page of carriers was rendered without its words");
  return texts;
}

/** A text with its values; braces that name none of them stand as they are. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/gu, (found, name: string) => String(values[name] ?? found));
}

/** A word by a name that only the running service knows; the name itself where there is none. */
export const wordFor = (words: Readonly<Record<string, string>>, name: string): string =>
  (Object.hasOwn(words, name) ? words[name] : undefined) ?? name;
