import { KIND_VALUES, SEARCH_LENGTH_MAX, STATE_VALUES } from "../../search/terms.ts";
import type { Fault, Operator } from "../../search/terms.ts";
import type { Lang } from "../lang.ts";
import { words } from "../view.ts";

// Sentences about the parts of a search that were not understood: what is wrong, and what to write instead.

const KINDS = KIND_VALUES.join(", ");
const STATES = STATE_VALUES.join(", ");

const faults = words(
  {
    takes: {
      to: "Use digits of a number, for example to:98765.",
      kind: `Use one of ${KINDS}.`,
      state: `Use one of ${STATES}.`,
      key: "Use a key's ID or name, for example key:key_1a2b3c4d.",
      request: "Use a request ID, for example request:req_….",
      text: "Use part of the text, for example text:code.",
      cost: "Use an amount in rupees, for example cost:0.25, cost:>1 or cost:1..5.",
      after: "Use a date or time, for example after:2026-11-21, after:2026-11-21T10:00, after:today or after:7d.",
      before:
        "Use a date or time, for example before:2026-11-21, before:2026-11-21T10:00, before:yesterday or before:2h.",
    } satisfies Record<Operator, string>,
    operator: (name: string, value: string, known: string) =>
      `“${name}:” is not a filter, so “${value}” was ignored. Use ${known}, or put it in quotes to search for exactly that text.`,
    sealed: (value: string) =>
      `Texts are stored encrypted and cannot be searched here, so “${value}” was ignored. The live list on the overview and the test inbox can find them.`,
    value: (name: string, value: string) => `“${value}” isn't a valid value for “${name}:”, so it was ignored.`,
    empty: (name: string) => `“${name}:” has no value, so it was ignored.`,
    lone: (value: string) => `“${value}” has nothing to search for, so it was ignored.`,
    quote: (value: string) => `The quotation mark in “${value}” isn't closed, so it was ignored. Close it with ".`,
    long: `The search is too long, so the end was ignored. The limit is 20 terms and ${SEARCH_LENGTH_MAX} characters.`,
    key: (value: string) =>
      `You have no key “${value}”, so it was ignored. Key IDs and names are listed under API keys.`,
  },
  {
    takes: {
      to: "नंबर के अंक लिखें, जैसे to:98765।",
      kind: `इनमें से एक लिखें: ${KINDS}।`,
      state: `इनमें से एक लिखें: ${STATES}।`,
      key: "कुंजी की ID या नाम लिखें, जैसे key:key_1a2b3c4d।",
      request: "अनुरोध ID लिखें, जैसे request:req_…।",
      text: "संदेश का कोई हिस्सा लिखें, जैसे text:code।",
      cost: "रुपये में राशि लिखें, जैसे cost:0.25, cost:>1 या cost:1..5।",
      after: "तारीख या समय लिखें, जैसे after:2026-11-21, after:2026-11-21T10:00, after:today या after:7d।",
      before: "तारीख या समय लिखें, जैसे before:2026-11-21, before:2026-11-21T10:00, before:yesterday या before:2h।",
    },
    operator: (name, value, known) =>
      `“${name}:” कोई फ़िल्टर नहीं है, इसलिए “${value}” छोड़ दिया गया। ${known} लिखें, या ठीक यही टेक्स्ट खोजने के लिए इसे उद्धरण चिह्नों में रखें।`,
    sealed: (value) =>
      `संदेशों के टेक्स्ट एन्क्रिप्ट करके रखे जाते हैं और यहाँ खोजे नहीं जा सकते, इसलिए “${value}” छोड़ दिया गया। “सारांश” की लाइव सूची और टेस्ट इनबॉक्स में वे मिल सकते हैं।`,
    value: (name, value) => `“${name}:” में “${value}” नहीं चलता, इसलिए इसे छोड़ दिया गया।`,
    empty: (name) => `“${name}:” के आगे कुछ नहीं लिखा है, इसलिए इसे छोड़ दिया गया।`,
    lone: (value) => `“${value}” में खोजने को कुछ नहीं है, इसलिए इसे छोड़ दिया गया।`,
    quote: (value) => `“${value}” में उद्धरण चिह्न बंद नहीं हुआ, इसलिए इसे छोड़ दिया गया। अंत में " लगाएँ।`,
    long: `खोज बहुत लंबी है, इसलिए उसका अंत छोड़ दिया गया। इसमें 20 शर्तें और ${SEARCH_LENGTH_MAX} अक्षर आ सकते हैं।`,
    key: (value) => `आपकी कोई कुंजी “${value}” नहीं है, इसलिए इसे छोड़ दिया गया। API कुंजियों की सूची में ID और नाम हैं।`,
  },
);

/** What is wrong with a search and what to write instead, in a sentence or two; `known` are its operators. */
export function faultText(fault: Fault, lang: Lang, known: readonly Operator[]): string {
  const t = faults[lang];
  const { operator, value } = fault;
  const takes = known.includes(operator as Operator) ? ` ${t.takes[operator as Operator]}` : "";
  switch (fault.kind) {
    case "operator":
      if (operator === "text") return t.sealed(value);
      return t.operator(operator, value, known.map((name) => `${name}:`).join(" "));
    case "value":
      return t.value(operator, value) + takes;
    case "empty":
      return operator === "" ? t.lone(value) : t.empty(operator) + takes;
    case "quote":
      return t.quote(value);
    case "long":
      return t.long;
    case "key":
      return t.key(value);
  }
}
