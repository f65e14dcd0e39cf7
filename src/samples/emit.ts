import { go, java } from "./compiled.ts";
import type { Language, Sample, SampleRequest } from "./sample.ts";
import { curl, node, php, python, ruby } from "./scripting.ts";

const EMITTERS: Record<Language, (request: SampleRequest) => string> = { curl, node, python, php, go, java, ruby };

/** Languages in which every operation has a sample; what costs money has one in each. */
const FOR_ALL: readonly Language[] = ["curl", "node", "python", "php"];

/** The samples of a request; in all languages where it is billed. */
export function samplesOf(request: SampleRequest, billable: boolean): Sample[] {
  return (Object.keys(EMITTERS) as Language[])
    .filter((language) => billable || FOR_ALL.includes(language))
    .map((language) => ({ language, code: EMITTERS[language](request) }));
}
