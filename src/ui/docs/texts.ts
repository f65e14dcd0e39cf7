import { brotliDecompressSync } from "node:zlib";
import type { Sample } from "../../samples/sample.ts";
import packed from "./texts.json";

// The texts of the documentation, packed by scripts/guides.mjs until they are asked for.

interface GuideText {
  title: string;
  lead: string;
  text: string;
}

export interface Guide {
  id: string;
  group: string;
  en: GuideText;
  hi: GuideText;
}

interface Texts {
  /** Every guide, in the order of the menu. A guide is two files in src/ui/docs/guides; nothing else names it. */
  guides: readonly Guide[];
  /** How a webhook's signature is verified, in each language (Standard Webhooks). */
  verify: readonly Sample[];
  /** The rules that stand at the head of llms.txt. */
  notes: string;
  /** The Agent Skill, without its front matter. */
  skill: string;
}

let unpacked: Texts | undefined;

/** The texts; unpacked once in an isolate. */
export function texts(): Texts {
  // packTexts made the JSON of exactly this.
  unpacked ??= JSON.parse(brotliDecompressSync(Buffer.from(packed.packed, "base64")).toString()) as Texts;
  return unpacked;
}
