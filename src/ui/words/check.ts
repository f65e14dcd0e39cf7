import { words } from "../view.ts";

// What a form would send and cost, before it is sent.

export const check = words(
  {
    label: "Before you send",
    check: "Check",
    recipients: "Recipients",
    twice: (count: string) => `${count} duplicate${count === "1" ? "" : "s"} removed`,
    invalid: (count: string) => `${count} invalid`,
    parts: "SMS per recipient",
    plain: (count: string) => `${count} with plain characters`,
    cost: "Cost",
    after: "Balance after",
    unknown: "–",
    badLines: "Some lines aren't valid Indian mobile numbers. Fix them or skip them.",
  },
  {
    label: "भेजने से पहले",
    check: "जाँचें",
    recipients: "प्राप्तकर्ता",
    twice: (count: string) => `${count} दोहराए गए हटाए`,
    invalid: (count: string) => `${count} गलत`,
    parts: "प्रति व्यक्ति SMS",
    plain: (count: string) => `सादे अक्षरों में ${count}`,
    cost: "कीमत",
    after: "इसके बाद बैलेंस",
    unknown: "–",
    badLines: "कुछ पंक्तियों में सही भारतीय मोबाइल नंबर नहीं है। उन्हें सुधारें या छोड़ दें।",
  },
);
