import { words } from "../view.ts";

/** What a reader needs to know to run the request of a message again. */
export const repeat = words(
  {
    ownCode:
      "The code is not shown. Set DASTAK_KEY to your API key and OTP to a new code of 4 to 8 digits; then run this to send that code to the same number.",
    gone: "This request cannot be shown, because a part of it is no longer stored.",
  },
  {
    ownCode:
      "कोड नहीं दिखाया जाता। DASTAK_KEY में अपनी API कुंजी और OTP में 4 से 8 अंकों का नया कोड रखें; फिर इसे चलाने पर वही कोड इसी नंबर पर जाएगा।",
    gone: "यह अनुरोध नहीं दिखाया जा सकता, क्योंकि इसका एक हिस्सा अब संग्रहीत नहीं है।",
  },
);
