// npm run bench:dlt: how long matching takes with 10,000 DLT templates, of registries as accounts have them and of ones
// that were made to take long. Compare the ratios: to the time of one template alone, and across corpora of one run.
import { Registry } from "../../src/dlt/registry.ts";
import { VARIABLES_MAX } from "../../src/dlt/rules.ts";

const TEMPLATES = 10_000;
const ROUNDS = 20;
const LENGTH = 160;

const nthOf = (nth) => String(nth).padStart(4, "0");
const STATES = ["shipped", "packed", "delivered", "returned", "delayed"];
const SUBJECTS = ["order", "parcel", "ticket", "policy", "booking", "invoice", "refund"];
const ABOUT = (nth) => `${SUBJECTS[nth % 7]} ${nthOf(nth)} was ${STATES[nth % 5]}`;

/** Each: the texts of its templates, a text that fits one, and one that fits none. */
const CORPORA = {
  "usual: texts that begin alike": {
    template: (nth) => `Dear {#var#}, your ${ABOUT(nth)} on {#var#}. Call {#cbn#} - Acme`,
    fits: `Dear Asha, your ${ABOUT(4711)} on 5 May. Call 1800123456 - Acme`,
    differs: `Dear Asha, your ${ABOUT(4711)} on 5 May. Phone 1800123456 - Acme`,
  },
  "usual: a code first": {
    template: (nth) => `{#numeric#} is your OTP for ${ABOUT(nth)}. Valid for {#num#} minutes. - Acme`,
    fits: `482913 is your OTP for ${ABOUT(4711)}. Valid for 10 minutes. - Acme`,
    differs: `482913 is your 0TP for ${ABOUT(4711)}. Valid for 10 minutes. - Acme`,
  },
  "usual: Hindi": {
    template: (nth) => `नमस्ते {#var#}, आपका ऑर्डर ${nthOf(nth)} आज पहुँचेगा। राशि {#numeric#} रुपये। - एक्मे`,
    fits: "नमस्ते आशा, आपका ऑर्डर 4711 आज पहुँचेगा। राशि 250 रुपये। - एक्मे",
    differs: "नमस्ते आशा, आपका ऑर्डर 4711 कल पहुँचेगा। राशि 250 रुपये। - एक्मे",
  },
  "hostile: long heads that are alike": {
    template: (nth) => `${"a".repeat(100)}{#num#}${nthOf(nth)}b`,
    fits: `${"a".repeat(100)}14711b`,
    differs: "a".repeat(LENGTH),
  },
  "hostile: long tails that are alike": {
    template: (nth) => `{#var#}${nthOf(nth)}${"a".repeat(100)}`,
    fits: `b4711${"a".repeat(100)}`,
    differs: `b${"a".repeat(LENGTH - 1)}`,
  },
  "hostile: 30 variables between one letter": {
    template: (nth) => `${"{#url#}a".repeat(VARIABLES_MAX)}${nth % 2 ? "b" : "c"}`,
    fits: `${"1a".repeat(LENGTH / 2 - 1)}b`,
    differs: "a1".repeat(LENGTH / 2),
  },
  "hostile: letters of the text in another order": {
    template: (nth) => `{#num#}${"ba".repeat(70)}{#num#}${"ab".repeat(nth % 5)}`,
    fits: `1${"ba".repeat(70)}1`,
    differs: "ab".repeat(LENGTH / 2),
  },
};

const registryOf = (template, count) =>
  new Registry(
    Array.from({ length: count }, (_, at) => {
      const nth = count === 1 ? 4711 : at;
      return { templateId: String(1_107_160_000_000 + nth), headers: ["ACMEIN"], category: "otp", text: template(nth) };
    }),
  );

/** The least and the median of what a call takes, in ms. */
function timed(call) {
  for (let warm = 0; warm < 5; warm++) call();
  const times = Array.from({ length: ROUNDS }, () => {
    const begin = performance.now();
    call();
    return performance.now() - begin;
  }).toSorted((one, other) => one - other);
  return { least: times[0], median: times[ROUNDS / 2] };
}

const shown = (ms) => ms.toFixed(ms < 0.1 ? 4 : 2);

console.log(
  "| corpus | text | least ms | median ms | × one template | places | blocks |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |",
);
for (const [name, { template, fits, differs }] of Object.entries(CORPORA)) {
  const [all, one] = [registryOf(template, TEMPLATES), registryOf(template, 1)];
  for (const [kind, text] of Object.entries({ fits, differs })) {
    if ("template" in all.match(text) !== (kind === "fits")) throw new Error(`${name}: ${text}`);
    const before = all.work;
    all.match(text);
    const [places, blocks] = [all.work.places - before.places, all.work.blocks - before.blocks];
    const [large, small] = [timed(() => all.match(text)), timed(() => one.match(text))];
    const ratio = Math.round(large.least / small.least).toLocaleString("en-US");
    const row = [
      name,
      kind,
      shown(large.least),
      shown(large.median),
      ratio,
      places.toLocaleString("en-US"),
      blocks.toLocaleString("en-US"),
    ];
    console.log(`| ${row.join(" | ")} |`);
  }
}
