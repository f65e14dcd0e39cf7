import { KEY_VARIABLE } from "../../samples/sample.ts";
import { TEST_NUMBERS } from "../../model/test-numbers.ts";
import { UNITS_PER_COIN } from "../../money/money.ts";
import { PLANS } from "../../money/plans.ts";
import { docsWords } from "../words/docs.ts";
import type { GuideGroup } from "../words/docs.ts";
import { shell } from "../words/shell.ts";
import type { Block, DocsPage } from "./block.ts";
import { blocksOf } from "./markdown.ts";
import { operationSamples } from "./operation.ts";
import { filled } from "./reader.ts";
import type { Reader } from "./reader.ts";
import type { Guide, Texts } from "./texts.ts";

// The guides: texts of src/ui/docs/guides (scripts/guides.mjs), and what lines such as `@plans` in them stand for.

/** The guides of a group of the menu. */
export const guidesOf = ({ guides }: Texts, group: GuideGroup): readonly Guide[] =>
  guides.filter((guide) => guide.group === group);

/** The path of a guide below /docs; the first guide is /docs itself. */
export const guidePath = ({ id }: Guide): string => (id === "start" ? "" : id);

function plans({ lang }: Reader): Block[] {
  const t = docsWords[lang];
  const rows = Object.entries(PLANS).map(([name, { requestsPerMinute, otpUnits }]) => [
    shell[lang].plans[name as keyof typeof PLANS],
    String(requestsPerMinute),
    String(otpUnits / UNITS_PER_COIN),
  ]);
  return [{ kind: "table", head: [t.plan, t.perMinute, t.perOtp], rows }];
}

function testNumbers({ lang }: Reader): Block[] {
  const t = docsWords[lang];
  const rows = TEST_NUMBERS.map(({ phone, ending }) => [`\`${phone}\``, t.endings[ending]]);
  return [{ kind: "table", head: [t.number, t.ending], rows }];
}

/** What each line `@name argument` of a guide stands for. */
const MADE: Readonly<Record<string, (reader: Reader, argument: string) => readonly Block[]>> = {
  sample: (reader, id) => operationSamples(id, reader),
  verify: ({ texts }) => [{ kind: "samples", id: "verify", samples: texts.verify }],
  plans,
  "test-numbers": testNumbers,
};

/** A guide in the reader's language, with the reader's test key in its commands. */
export function guidePage(guide: Guide, reader: Reader): DocsPage {
  const { title, lead, text } = guide[reader.lang];
  const withKey = reader.testKey === null ? text : text.replaceAll(`$${KEY_VARIABLE}`, reader.testKey);
  const blocks = blocksOf(filled(withKey, reader), (name, argument) => {
    const made = MADE[name];
    if (!made) throw new Error(`the guide ${guide.id} has @${name}, which stands for nothing`);
    return made(reader, argument);
  });
  return { path: guidePath(guide), title, lead: filled(lead, reader), blocks };
}
