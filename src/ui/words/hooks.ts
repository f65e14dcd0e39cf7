import { words } from "../view.ts";

export const hookWords = words(
  {
    title: "Supabase Auth",
    lead: "A hook sends the login codes of Supabase Auth by SMS. It uses one of these keys, and stops when you rotate or revoke that key.",
    guide: "What to fill in",
    key: "API key",
    brand: "Brand name",
    brandHint: "Stands in the text, for example: Shop",
    make: "Create hook",
    shownTitle: "Your Supabase hook",
    shownLead: "Enter both in Supabase. It works right away.",
    where: "Where",
    url: "URL",
    secret: "Secret",
    shownAgain:
      "Anyone with the secret can spend this account's balance. To see both again, create the hook with the same key and brand name.",
    back: "Back to keys",
    stops: "A Supabase hook made with this key stops with it.",
  },
  {
    title: "Supabase Auth",
    lead: "हुक Supabase Auth के लॉगिन कोड SMS से भेजता है। वह इनमें से एक कुंजी से भेजता है, और उस कुंजी को बदलने या रद्द करने पर बंद हो जाता है।",
    guide: "क्या भरना है",
    key: "API कुंजी",
    brand: "ब्रांड का नाम",
    brandHint: "टेक्स्ट में दिखता है, जैसे: Shop",
    make: "हुक बनाएँ",
    shownTitle: "आपका Supabase हुक",
    shownLead: "दोनों Supabase में भरें। यह तुरंत काम करता है।",
    where: "कहाँ",
    url: "URL",
    secret: "सीक्रेट",
    shownAgain: "जिसके पास सीक्रेट है, वह इस खाते का बैलेंस खर्च कर सकता है। दोनों फिर देखने के लिए उसी कुंजी और ब्रांड के नाम से हुक बनाएँ।",
    back: "कुंजियों पर लौटें",
    stops: "इस कुंजी से बना Supabase हुक भी इसके साथ बंद हो जाता है।",
  },
);
