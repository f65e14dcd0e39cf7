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
      to: "It takes digits of a number, such as to:98765.",
      kind: `It takes ${KINDS}.`,
      state: `It takes ${STATES}.`,
      key: "It takes a key's id or its name, such as key:key_1a2b3c4d.",
      request: "It takes a request's id, such as request:req_….",
      text: "It takes a part of the text, such as text:code.",
      cost: "It takes an amount in rupees, such as cost:0.25, cost:>1 or cost:1..5.",
      after: "It takes a time, such as after:2026-11-21, after:2026-11-21T10:00, after:today or after:7d.",
      before: "It takes a time, such as before:2026-11-21, before:2026-11-21T10:00, before:yesterday or before:2h.",
    } satisfies Record<Operator, string>,
    operator: (name: string, value: string, known: string) =>
      `There is no “${name}:”, so “${value}” was left out. Use ${known}, or put it in quotes to search for it as it stands.`,
    sealed: (value: string) =>
      `Texts are stored encrypted and cannot be searched here, so “${value}” was left out. The live list on the overview and the test inbox can find them.`,
    value: (name: string, value: string) => `“${name}:” does not understand “${value}”, so it was left out.`,
    empty: (name: string) => `“${name}:” has no value, so it was left out.`,
    lone: (value: string) => `“${value}” says nothing to search for, so it was left out.`,
    quote: (value: string) => `The quote in “${value}” never ends, so it was left out. Close it with ".`,
    long: `The search is too long, so its end was left out. It takes 20 terms and ${SEARCH_LENGTH_MAX} characters.`,
    key: (value: string) =>
      `You have no key “${value}”, so it was left out. The list under API keys has ids and names.`,
  },
  {
    takes: {
      to: "इसमें नंबर के अंक आते हैं, जैसे to:98765।",
      kind: `इसमें इनमें से कुछ आता है: ${KINDS}।`,
      state: `इसमें इनमें से कुछ आता है: ${STATES}।`,
      key: "इसमें कुंजी की id या उसका नाम आता है, जैसे key:key_1a2b3c4d।",
      request: "इसमें अनुरोध की id आती है, जैसे request:req_…।",
      text: "इसमें संदेश का कोई हिस्सा आता है, जैसे text:code।",
      cost: "इसमें रुपयों में राशि आती है, जैसे cost:0.25, cost:>1 या cost:1..5।",
      after: "इसमें समय आता है, जैसे after:2026-11-21, after:2026-11-21T10:00, after:today या after:7d।",
      before: "इसमें समय आता है, जैसे before:2026-11-21, before:2026-11-21T10:00, before:yesterday या before:2h।",
    },
    operator: (name, value, known) =>
      `“${name}:” नाम का कोई ऑपरेटर नहीं है, इसलिए “${value}” छोड़ दिया गया। ${known} लिखें, या ज्यों का त्यों खोजने के लिए इसे उद्धरण चिह्नों में रखें।`,
    sealed: (value) =>
      `संदेशों के टेक्स्ट एन्क्रिप्ट करके रखे जाते हैं और यहाँ खोजे नहीं जा सकते, इसलिए “${value}” छोड़ दिया गया। “सारांश” की लाइव सूची और टेस्ट इनबॉक्स में वे मिल सकते हैं।`,
    value: (name, value) => `“${name}:” को “${value}” समझ नहीं आया, इसलिए इसे छोड़ दिया गया।`,
    empty: (name) => `“${name}:” के आगे कुछ नहीं लिखा है, इसलिए इसे छोड़ दिया गया।`,
    lone: (value) => `“${value}” में खोजने को कुछ नहीं है, इसलिए इसे छोड़ दिया गया।`,
    quote: (value) => `“${value}” में उद्धरण चिह्न बंद नहीं हुआ, इसलिए इसे छोड़ दिया गया। अंत में " लगाएँ।`,
    long: `खोज बहुत लंबी है, इसलिए उसका अंत छोड़ दिया गया। इसमें 20 शर्तें और ${SEARCH_LENGTH_MAX} अक्षर आ सकते हैं।`,
    key: (value) => `आपकी कोई कुंजी “${value}” नहीं है, इसलिए इसे छोड़ दिया गया। API कुंजियों की सूची में id और नाम हैं।`,
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
