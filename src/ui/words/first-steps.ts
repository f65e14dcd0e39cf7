import type { TestEnding } from "../../model/test-numbers.ts";
import { words } from "../view.ts";

const endingsEn: Record<TestEnding, string> = {
  delivered: "Delivered",
  rejected: "Rejected by the carrier, refunded",
  undelivered: "Not delivered",
  no_receipt: "Sent, and no receipt ever comes",
  busy_twice: "Carrier busy twice, then delivered",
  timeout: "Unknown: the carrier's answer is lost",
};

const endingsHi: Record<TestEnding, string> = {
  delivered: "पहुँच गया",
  rejected: "कैरियर ने अस्वीकार किया, पैसे वापस",
  undelivered: "नहीं पहुँचा",
  no_receipt: "भेजा गया, पर रसीद कभी नहीं आती",
  busy_twice: "कैरियर दो बार व्यस्त, फिर पहुँच गया",
  timeout: "अज्ञात: कैरियर का जवाब खो गया",
};

export const firstSteps = words(
  {
    title: "Get started",
    welcome: (credit: string) => `Your account starts with ${credit} of welcome credit.`,
    send: "Send yourself an OTP",
    sendHint: "Use the form below; the code is already filled in.",
    request: "Make your first API request",
    requestHint: "Copy the sample below and run it in a terminal.",
    buy: "Choose a plan",
    buyHint: "Pay once; the credit never expires.",
    done: "Done",
    hide: "Hide these steps",
    numbers: "Numbers that choose an ending",
    numbersLead: "With a test key, a message to one of these numbers ends as you choose.",
    endings: endingsEn,
    onPhone: "See it on the phone",
  },
  {
    title: "शुरू करें",
    welcome: (credit: string) => `आपके खाते में ${credit} का स्वागत क्रेडिट है।`,
    send: "खुद को एक OTP भेजें",
    sendHint: "नीचे का फ़ॉर्म इस्तेमाल करें; कोड पहले से भरा है।",
    request: "पहला API अनुरोध भेजें",
    requestHint: "नीचे का उदाहरण कॉपी करें और टर्मिनल में चलाएँ।",
    buy: "प्लान चुनें",
    buyHint: "एक बार भुगतान करें; क्रेडिट कभी खत्म नहीं होता।",
    done: "हो गया",
    hide: "ये चरण छिपाएँ",
    numbers: "नतीजा चुनने वाले नंबर",
    numbersLead: "टेस्ट कुंजी से इनमें से किसी नंबर पर भेजा गया संदेश आपके चुने नतीजे पर खत्म होता है।",
    endings: endingsHi,
    onPhone: "फ़ोन पर देखें",
  },
);
