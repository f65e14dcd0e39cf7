import { asset } from "../../http/assets.ts";
import type { Sample } from "../../samples/sample.ts";
import built from "./texts.json";

// The texts of the documentation: a static file, which scripts/guides.mjs gathers.

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

export interface Texts {
  /** Every guide, in the order of the menu. A guide is two files in src/ui/docs/guides; nothing else names it. */
  guides: readonly Guide[];
  /** How a webhook's signature is verified, in each language (Standard Webhooks). */
  verify: readonly Sample[];
  /** A program for each WebSocket, by its operation's id. */
  sockets: Readonly<Record<string, string>>;
  /** The rules that stand at the head of llms.txt. */
  notes: string;
  /** The Agent Skill, without its front matter. */
  skill: string;
}

const parsed = new WeakMap<ArrayBuffer, Texts>();

/** The texts; the caller changes nothing in them. Ends the request with 503 where they cannot be read. */
export async function readTexts(env: Env): Promise<Texts> {
  const bytes = await asset(env, built.texts);
  // gatherTexts made the JSON of exactly this.
  const texts = parsed.get(bytes) ?? (JSON.parse(new TextDecoder().decode(bytes)) as Texts);
  parsed.set(bytes, texts);
  return texts;
}
