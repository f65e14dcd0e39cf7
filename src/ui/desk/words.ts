import { asset } from "../../http/assets.ts";
import type { deskAccess as Access } from "../words/desk-access.ts";
import type { deskHealth as Health } from "../words/desk-health.ts";
import type { deskWords as Desk } from "../words/desk.ts";
import built from "./texts.json";

// The words of the operator's pages: a static file, which no customer's page needs (scripts/build.mjs). They are read before
// a page of the desk is answered, so that components have them at once.

interface DeskTexts {
  desk: typeof Desk;
  access: typeof Access;
  health: typeof Health;
}

/** A sentence with the places of its values, as the file has what is a function in the words. */
const isSentence = (value: object): value is { sentence: string } => "sentence" in value;

const withValues =
  (sentence: string) =>
  (...values: unknown[]): string =>
    sentence.replaceAll(/\{(\d)\}/gu, (_, nth: string) => String(values[Number(nth)]));

/** The words as they were written: sentences with places are functions again. */
function revived(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  if (isSentence(value)) return withValues(value.sentence);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, revived(one)]));
}

/** A version's words never change. */
let known: DeskTexts | null = null;

/** Reads the words of the desk; ends the request with 503 where they cannot be read. */
export async function readDeskWords(env: Env): Promise<void> {
  if (known) return;
  const bytes = await asset(env, built.words);
  // scripts/build.mjs made the JSON of exactly this.
  known = revived(JSON.parse(new TextDecoder().decode(bytes))) as DeskTexts;
}

function words(): DeskTexts {
  if (!known) throw new Error("a page of the desk was rendered before its words were read");
  return known;
}

/** Words that are there once `readDeskWords` was asked. */
const read = <Name extends keyof DeskTexts>(name: Name) => ({
  get en(): DeskTexts[Name]["en"] {
    return words()[name].en;
  },
  get hi(): DeskTexts[Name]["hi"] {
    return words()[name].hi;
  },
});

export const deskWords = read("desk");
export const deskAccess = read("access");
export const deskHealth = read("health");
