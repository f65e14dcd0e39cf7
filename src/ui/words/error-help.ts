import type { ErrorCode } from "../../http/errors.ts";
import { words } from "../view.ts";

// What each error code means and what to do, for the page of errors.

/** What happened, and what the caller does then. */
export interface ErrorHelp {
  what: string;
  fix: string;
}

/** Codes that contract §13 and §14 name; the page shows those that the service has. */
type Coming = "too_late" | "invalid_quote" | "events_expired";

type Helps = Record<ErrorCode | Coming, ErrorHelp>;

const repeat = "Repeat the request with the same `Idempotency-Key`: it is done once, however often you send it.";
const repeatHi = "अनुरोध उसी `Idempotency-Key` के साथ दोहराएँ: जितनी बार भी भेजें, काम एक ही बार होगा।";

export const errorHelp = words<Helps>(
  {
    invalid_request: {
      what: "A field is missing or not valid, or the body is over the limit of its operation. Nothing was charged.",
      fix: "Correct the field that `param` names; `hint` says how, where that is known. Don't repeat it unchanged.",
    },
    invalid_json: {
      what: "The body is not JSON, or did not arrive whole.",
      fix: "Build the body with your language's JSON encoder, not by hand, and send it as UTF-8.",
    },
    unauthorized: {
      what: "The API key is missing, mistyped, revoked or unknown. One sentence stands for all of these.",
      fix: "Check that the whole key is sent, in the header that the operation's page names, and that it is still active under [API keys](/keys). Two different keys in one request are refused too.",
    },
    insufficient_balance: {
      what: "The balance doesn't cover the cost. Nothing was sent.",
      fix: "Buy a plan under [Plans & billing](/billing), then repeat the request.",
    },
    account_suspended: {
      what: "The account is suspended, or is being closed.",
      fix: "Ask the operator of this service. An account that is being closed can be kept in [Settings](/settings).",
    },
    permission_denied: {
      what: "The key or account may not do this: a destination that is not offered, a live key where only a test key may, or plain http.",
      fix: "Read `error`: it says which. Replace a key that was sent over plain http.",
    },
    not_found: {
      what: "There is nothing at this address, or the ID is unknown or another account's: the three look the same.",
      fix: "Compare address and ID with the operation's page. A test key sees only what test keys sent.",
    },
    method_not_allowed: {
      what: "The address exists, and takes another method.",
      fix: "Use a method that the header `Allow` names.",
    },
    idempotency_in_progress: {
      what: "Another request with this `Idempotency-Key` is still running.",
      fix: "Wait a second and repeat it unchanged: you get the reply of the first.",
    },
    too_many: {
      what: "The account already has as many of these as it can have, such as keys or recordings.",
      fix: "Delete one that you don't need.",
    },
    too_late: {
      what: "There is nothing left to take back: the message is on its way already, or has ended.",
      fix: "Nothing can be done. Ask for the message to see its state.",
    },
    invalid_quote: {
      what: "The quote is altered, expired, already used, another account's, or for another request.",
      fix: "Ask for a new quote with a preflight, or send without one at the present price.",
    },
    events_expired: {
      what: "Events after this number are no longer kept.",
      fix: "Go on from the number in `first`, and read the messages of the gap from the list of messages.",
    },
    payload_too_large: {
      what: "The body has more than 10 MiB.",
      fix: "Send less: split a list, or shorten a recording. [Limits](/docs/limits) has the sizes.",
    },
    unsupported_media_type: {
      what: "The body is of another type than JSON.",
      fix: "Send `Content-Type: application/json`.",
    },
    idempotency_mismatch: {
      what: "This `Idempotency-Key` was used for another request. Nothing was sent.",
      fix: "Use a new key for a new request, and the same body for a repeated one. See [Retries](/docs/retries).",
    },
    rate_limited: {
      what: "The requests of this minute are used up.",
      fix: "Wait as many seconds as `Retry-After` says, which is always enough. A bulk request counts once.",
    },
    internal_error: {
      what: "Our fault. Whether the request was done is unknown.",
      fix: repeat,
    },
    unavailable: {
      what: "The service or a part of it is busy or away. Whether the request was done is unknown.",
      fix: `${repeat} Wait \`Retry-After\` seconds first.`,
    },
  },
  {
    invalid_request: {
      what: "कोई फ़ील्ड नहीं है या गलत है, या body अपनी सीमा से बड़ी है। कुछ नहीं कटा।",
      fix: "`param` में बताई गई फ़ील्ड ठीक करें; `hint` में तरीका है, जहाँ वह पता है। बिना बदले न दोहराएँ।",
    },
    invalid_json: {
      what: "Body JSON नहीं है, या पूरी नहीं पहुँची।",
      fix: "Body हाथ से नहीं, अपनी भाषा के JSON encoder से बनाएँ और UTF-8 में भेजें।",
    },
    unauthorized: {
      what: "API कुंजी नहीं है, गलत लिखी है, रद्द है या अनजान है। इन सबके लिए एक ही वाक्य आता है।",
      fix: "देखें कि पूरी कुंजी उसी header में जाती है जो API के पेज पर है, और [API कुंजियाँ](/keys) में चालू है। एक अनुरोध में दो अलग कुंजियाँ भी नहीं चलतीं।",
    },
    insufficient_balance: {
      what: "बैलेंस इस कीमत से कम है। कुछ नहीं भेजा गया।",
      fix: "[प्लान और भुगतान](/billing) में प्लान खरीदें, फिर अनुरोध दोहराएँ।",
    },
    account_suspended: {
      what: "खाता निलंबित है, या बंद हो रहा है।",
      fix: "इस सेवा के ऑपरेटर से पूछें। बंद हो रहा खाता [सेटिंग](/settings) में बचाया जा सकता है।",
    },
    permission_denied: {
      what: "कुंजी या खाते को इसकी अनुमति नहीं है: वह देश उपलब्ध नहीं, टेस्ट कुंजी की जगह लाइव कुंजी, या https की जगह http।",
      fix: "`error` पढ़ें: उसमें कारण है। जो कुंजी http पर गई, उसे बदल दें।",
    },
    not_found: {
      what: "इस पते पर कुछ नहीं है, या ID अनजान है या किसी और खाते की है: तीनों एक जैसे दिखते हैं।",
      fix: "पता और ID उस API के पेज से मिलाएँ। टेस्ट कुंजी को वही दिखता है जो टेस्ट कुंजियों ने भेजा।",
    },
    method_not_allowed: {
      what: "पता सही है, पर दूसरा method लेता है।",
      fix: "वह method लें जो header `Allow` में है।",
    },
    idempotency_in_progress: {
      what: "इसी `Idempotency-Key` का दूसरा अनुरोध अभी चल रहा है।",
      fix: "एक सेकंड रुककर बिना बदले दोहराएँ: पहले वाला ही जवाब मिलेगा।",
    },
    too_many: {
      what: "खाते में ये पहले से ही उतने हैं जितने हो सकते हैं, जैसे कुंजियाँ या रिकॉर्डिंग।",
      fix: "जिसकी ज़रूरत नहीं, उसे मिटाएँ।",
    },
    too_late: {
      what: "अब वापस लेने को कुछ नहीं है: संदेश निकल चुका है या पूरा हो चुका है।",
      fix: "अब कुछ नहीं हो सकता। संदेश की स्थिति पूछकर देखें।",
    },
    invalid_quote: {
      what: "Quote बदली हुई, पुरानी, इस्तेमाल की हुई, किसी और खाते की, या दूसरे अनुरोध की है।",
      fix: "Preflight से नई quote लें, या उसके बिना आज की कीमत पर भेजें।",
    },
    events_expired: {
      what: "इस नंबर के बाद के events अब नहीं रखे गए हैं।",
      fix: "`first` के नंबर से आगे बढ़ें, और बीच के संदेश सूची से पढ़ें।",
    },
    payload_too_large: {
      what: "Body 10 MiB से बड़ी है।",
      fix: "कम भेजें: सूची बाँटें या रिकॉर्डिंग छोटी करें। आकार [सीमाएँ](/docs/limits) में हैं।",
    },
    unsupported_media_type: {
      what: "Body JSON के बजाय किसी और प्रकार की है।",
      fix: "`Content-Type: application/json` भेजें।",
    },
    idempotency_mismatch: {
      what: "यह `Idempotency-Key` किसी दूसरे अनुरोध में लगी थी। कुछ नहीं भेजा गया।",
      fix: "नए अनुरोध के लिए नई key लें, दोहराने के लिए वही body। देखें [दोहराना](/docs/retries)।",
    },
    rate_limited: {
      what: "इस मिनट के अनुरोध पूरे हो गए।",
      fix: "जितने सेकंड `Retry-After` में हैं उतना रुकें, वह हमेशा काफ़ी है। बल्क अनुरोध एक ही गिना जाता है।",
    },
    internal_error: {
      what: "गलती हमारी है। अनुरोध पूरा हुआ या नहीं, यह पता नहीं।",
      fix: repeatHi,
    },
    unavailable: {
      what: "सेवा या उसका कोई हिस्सा व्यस्त है या बंद है। अनुरोध पूरा हुआ या नहीं, यह पता नहीं।",
      fix: `पहले \`Retry-After\` जितने सेकंड रुकें। ${repeatHi}`,
    },
  },
);
