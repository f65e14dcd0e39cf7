import { words } from "../view.ts";

/** The words of the page around an invoice; the invoice itself is in English. */
export const invoiceWords = words(
  {
    title: "Invoice",
    back: "Back to plans & billing",
    toOrder: "Back to the order",
    print: "Print or save as PDF",
    hint: "To save it as a PDF, print this page.",
  },
  {
    title: "इनवॉइस",
    back: "प्लान और भुगतान पर लौटें",
    toOrder: "ऑर्डर पर लौटें",
    print: "प्रिंट करें या PDF सहेजें",
    hint: "PDF में सहेजने के लिए इस पेज को प्रिंट करें।",
  },
);
