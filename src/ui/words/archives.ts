import { words } from "../view.ts";

export const archiveWords = words(
  {
    title: "Archive",
    lead: (days: string) =>
      `Messages and ledger entries older than ${days} days, one file per month. They are no longer listed under Activity.`,
    leadTest: (days: string) => `Test messages are deleted after ${days} days. Only live messages are archived.`,
    link: "Archive",
    linkLead: "Download messages and ledger entries that are too old to be listed.",
    month: "Month",
    entries: "Entries",
    size: "Size",
    file: "File",
    download: "Download",
    form: "Each file is gzip-compressed NDJSON: one JSON object per line.",
    nothing: "Nothing archived yet",
    scroll: "Archived files",
  },
  {
    title: "आर्काइव",
    lead: (days: string) => `${days} दिन से पुराने संदेश और लेजर की एंट्रियाँ, हर महीने की एक फ़ाइल में। ये अब गतिविधि में नहीं दिखतीं।`,
    leadTest: (days: string) => `टेस्ट संदेश ${days} दिन बाद मिटा दिए जाते हैं। आर्काइव में सिर्फ़ लाइव संदेश जाते हैं।`,
    link: "आर्काइव",
    linkLead: "वे संदेश और लेजर की एंट्रियाँ डाउनलोड करें जो सूची में दिखने के लिए बहुत पुरानी हैं।",
    month: "महीना",
    entries: "एंट्रियाँ",
    size: "साइज़",
    file: "फ़ाइल",
    download: "डाउनलोड करें",
    form: "हर फ़ाइल gzip में NDJSON है: हर पंक्ति में एक JSON ऑब्जेक्ट।",
    nothing: "अभी कुछ भी आर्काइव नहीं हुआ",
    scroll: "आर्काइव की फ़ाइलें",
  },
);
