import type { DltRefused } from "../../model/carrier/dlt.ts";
import type { ErrorCode, Failure } from "../../http/errors.ts";
import { sentenceOf } from "../../http/faults.ts";
import type { FieldName, Sentence, Sentences } from "../../http/faults.ts";
import { count, phoneText, rupees, timeText } from "../format.ts";
import type { Lang } from "../lang.ts";
import { words } from "../view.ts";

// Why something was refused, as pages say it: by field labels and in rupees, where the API names parameters and coins.

/** The fields, as the forms label them. */
const fields = words<Record<FieldName, string>>(
  {
    phone: "Mobile number",
    "each recipient": "Each recipient",
    recipients: "Recipients",
    callee: "Number to call",
    message: "Message",
    text: "Text to speak",
    senderId: "Sender ID",
    otp: "Code",
    brandName: "Brand name",
    fileId: "Recording",
    fileName: "File name",
    name: "Name",
    sendAt: "Send at",
  },
  {
    phone: "मोबाइल नंबर",
    "each recipient": "हर प्राप्तकर्ता",
    recipients: "प्राप्तकर्ता",
    callee: "जिस नंबर पर कॉल करनी है",
    message: "संदेश",
    text: "बोलने का टेक्स्ट",
    senderId: "Sender ID",
    otp: "कोड",
    brandName: "ब्रांड का नाम",
    fileId: "रिकॉर्डिंग",
    fileName: "फ़ाइल का नाम",
    name: "नाम",
    sendAt: "भेजने का समय",
  },
);

/** A sentence, and the number that was probably meant. */
const meaning = (lang: Lang, error: string, meant: string | undefined): Sentence => {
  if (meant === undefined) return { error };
  const number = phoneText(/^\d{10}$/u.test(meant) ? `+91${meant}` : meant);
  return { error, hint: lang === "hi" ? `क्या यह नंबर है: ${number}?` : `Did you mean ${number}?` };
};

const en: Sentences = {
  unauthorized: () => "You are signed out. Sign in again.",
  idempotency_in_progress: () => "This form is still being sent. Try again in a moment.",
  idempotency_mismatch: () => "This form was already sent with different content. Reload the page to send again.",
  rate_limited: ({ limit, retryAfterSec }) =>
    `You've reached the limit of ${limit} requests per minute. Try again in ${retryAfterSec} s.`,
  daily_recipients: ({ max, left }) =>
    `Test mode can send to ${count(max, "en")} recipients a day; ${count(left, "en")} are left for today. The count starts again at midnight, Indian time.`,
  many_cancelled: ({ max }) =>
    `You cancelled ${count(max, "en")} scheduled messages or more today, so you can't schedule others until midnight, Indian time. You can still send now.`,
  account_suspended: () => "This account is suspended. Ask the operator to reactivate it.",
  account_closing: ({ closesAt }) =>
    `This account is being closed and will be erased after ${timeText(closesAt, "date", "en")}. To send again, keep the account in Settings.`,
  not_offered: ({ callingCode }) => `SMS to +${callingCode} is not available.`,
  country_not_allowed: ({ callingCode }) => `This account can't send to +${callingCode}. Ask the operator to allow it.`,
  number_blocked: ({ prefix }) =>
    prefix === null
      ? "This is a premium-rate number, which can't be reached."
      : `Numbers that begin with ${prefix} can't be reached. Ask the operator if this one should be.`,
  otp_limited: ({ of, retryAfterSec }) =>
    of === "number"
      ? `This number got several codes in the last hour. The next one can be sent in ${retryAfterSec} s.`
      : `Many numbers of this range got codes in the last hour. The next one can be sent in ${retryAfterSec} s.`,
  spend_cap: ({ needed, left, cap, own }) =>
    `This costs ${rupees(needed, "en")}, and ${rupees(left, "en")} are left of today's limit of ${rupees(cap, "en")}. It starts again at midnight, Indian time. ${own ? "You can raise it in Settings." : "The operator can raise it."}`,
  unknown_file: () => "This recording doesn't exist. Choose another one.",
  invalid_quote: () => "The price that you were shown is no longer valid. Check the form again.",
  send_at: () => "Choose a date and a time to send at.",
  send_at_far: ({ days }) => `You can schedule at most ${count(days, "en")} days ahead.`,
  send_at_past: () => "The time to send at has passed. Choose a later one, or leave it empty to send now.",
  send_at_otp: () => "An OTP can't be scheduled.",
  not_readable: () => "This can't be shown right now. Try again in a moment.",
  too_late: () => "It's too late to cancel this: it was sent, or is being sent.",
  dlt_mismatch: ({ code, templateId, at, limit, length }) => {
    if (templateId === null) return "Your account has no DLT template that this text could fit. Nothing was charged.";
    if (code === 635) {
      return `A value from character ${at + 1} on has ${length} characters; DLT template ${templateId} allows ${limit}. Nothing was charged.`;
    }
    return `The text fits none of your DLT templates: from character ${at + 1} on it differs from the nearest one, ${templateId}. Nothing was charged.`;
  },
  dlt_header: ({ code, templateId }) =>
    code === 634
      ? `This sender ID is not a header of DLT template ${templateId}. Nothing was charged.`
      : "This sender ID is not one of your DLT headers; small and capital letters differ. Nothing was charged.",
  dlt_hours: ({ nextAt }) =>
    `Promotional messages are not allowed in India at this time. Schedule it for ${timeText(nextAt, "full", "en")} or later.`,
  otp_long: ({ segments, max }) =>
    `With this brand name your DLT template makes the OTP ${segments} SMS long; it may be ${max}. Choose a shorter name or template.`,
  recordings_full: ({ recordings, megabytes }) =>
    `You can keep ${recordings} recordings with ${megabytes} MB in total. Delete one to make room; a deleted recording counts until the calls that play it have ended.`,
  insufficient_balance: ({ needed, balance }) =>
    `Insufficient balance: this costs ${rupees(needed, "en")}, you have ${rupees(balance, "en")}.`,
  broken_character: ({ field }) => `${fields.en[field]} contains a broken character. Type it again.`,
  length: ({ field, max, length }) =>
    length === 0
      ? `${fields.en[field]} is empty.`
      : `${fields.en[field]} can have at most ${count(max, "en")} characters; it has ${count(length, "en")}.`,
  not_mobile: ({ field }) => `${fields.en[field]} must start with 6, 7, 8 or 9.`,
  ten_digits: ({ field, meant }) => meaning("en", `${fields.en[field]} must have exactly 10 digits.`, meant),
  indian_callee: ({ meant }) => meaning("en", "Enter a 10-digit Indian number.", meant),
  e164: ({ meant }) => meaning("en", "Enter the number with + and country code, for example +14155550132.", meant),
  calling_code: () => "This country code doesn't exist.",
  number_length: () => "This number has the wrong length for its country.",
  landline: () => "This is a landline number, which can't receive SMS.",
  dialled: ({ meant }) =>
    meaning("en", "Enter the number with country code, digits only, for example 919876543210.", meant),
  no_recipients: () => "Enter at least one number.",
  many_recipients: ({ max }) => `You can send to at most ${count(max, "en")} numbers at once. Split the list.`,
  sender_id: () => "Sender ID must have 1 to 11 letters, digits, spaces, dashes, underscores or dots.",
  otp_digits: () => "Enter a code of 4 to 8 digits.",
  brand_lines: () => "Brand name can't contain line breaks or control characters.",
  file_path: () => "The file name can't contain slashes or control characters. Rename the file.",
  file_extension: () => "Choose a .wav or .mp3 file.",
  file_kind: () => "This isn't a recording we can play. Use WAV (PCM, µ-law, A-law) or MP3.",
  file_mismatch: ({ claimed, actual }) => ({
    error: `The file is named .${claimed} but contains ${actual.toUpperCase()} audio.`,
    hint: `Rename it to .${actual}.`,
  }),
  file_empty: () => "The file is empty.",
  file_silent: () => "The recording is empty.",
  file_long: ({ seconds, max }) =>
    `The recording is ${count(seconds, "en")} s long; the limit is ${count(max, "en")} s.`,
  damaged_form: () => "This form couldn't be read. Open the page again.",
  other_site: () => "This form was sent from another site. Open the page here and send it again.",
};

const hi: Sentences = {
  unauthorized: () => "आप साइन आउट हो गए हैं। फिर से साइन इन करें।",
  idempotency_in_progress: () => "यह फ़ॉर्म अभी भेजा जा रहा है। थोड़ी देर में फिर कोशिश करें।",
  idempotency_mismatch: () => "यह फ़ॉर्म पहले किसी और सामग्री के साथ भेजा जा चुका है। फिर भेजने के लिए पेज दोबारा खोलें।",
  rate_limited: ({ limit, retryAfterSec }) =>
    `प्रति मिनट ${limit} अनुरोध की सीमा पूरी हो गई है। ${retryAfterSec} सेकंड बाद फिर कोशिश करें।`,
  daily_recipients: ({ max, left }) =>
    `टेस्ट मोड में एक दिन में ${count(max, "hi")} प्राप्तकर्ताओं को भेजा जा सकता है; आज ${count(left, "hi")} बाकी हैं। गिनती भारतीय समय से आधी रात को फिर शुरू होती है।`,
  many_cancelled: ({ max }) =>
    `आज ${count(max, "hi")} या उससे ज़्यादा शेड्यूल किए गए संदेश रद्द किए गए हैं, इसलिए भारतीय समय से आधी रात तक नए संदेश शेड्यूल नहीं किए जा सकते। अभी भेजना संभव है।`,
  account_suspended: () => "यह खाता निलंबित है। ऑपरेटर से इसे सक्रिय करवाएँ।",
  account_closing: ({ closesAt }) =>
    `यह खाता बंद हो रहा है और ${timeText(closesAt, "date", "hi")} के बाद मिटा दिया जाएगा। फिर से भेजने के लिए सेटिंग में खाता वापस लें।`,
  not_offered: ({ callingCode }) => `+${callingCode} पर SMS उपलब्ध नहीं है।`,
  country_not_allowed: ({ callingCode }) => `यह खाता +${callingCode} पर नहीं भेज सकता। ऑपरेटर से अनुमति लें।`,
  number_blocked: ({ prefix }) =>
    prefix === null
      ? "यह प्रीमियम दर वाला नंबर है, जिस पर नहीं भेजा जा सकता।"
      : `${prefix} से शुरू होने वाले नंबरों पर नहीं भेजा जा सकता। यह नंबर सही हो तो ऑपरेटर से पूछें।`,
  otp_limited: ({ of, retryAfterSec }) =>
    of === "number"
      ? `इस नंबर पर पिछले घंटे में कई कोड भेजे गए। अगला कोड ${retryAfterSec} सेकंड बाद भेजा जा सकता है।`
      : `इस श्रेणी के कई नंबरों पर पिछले घंटे में कोड भेजे गए। अगला कोड ${retryAfterSec} सेकंड बाद भेजा जा सकता है।`,
  spend_cap: ({ needed, left, cap, own }) =>
    `इसकी कीमत ${rupees(needed, "hi")} है, और आज की सीमा ${rupees(cap, "hi")} में से ${rupees(left, "hi")} बाकी हैं। सीमा भारतीय समय से आधी रात को फिर शुरू होती है। ${own ? "इसे सेटिंग में बढ़ाया जा सकता है।" : "इसे ऑपरेटर बढ़ा सकता है।"}`,
  unknown_file: () => "यह रिकॉर्डिंग मौजूद नहीं है। कोई और चुनें।",
  invalid_quote: () => "जो कीमत दिखाई गई थी, वह अब मान्य नहीं है। फ़ॉर्म फिर से जाँचें।",
  send_at: () => "भेजने की तारीख और समय चुनें।",
  send_at_far: ({ days }) => `ज़्यादा से ज़्यादा ${count(days, "hi")} दिन आगे का समय चुना जा सकता है।`,
  send_at_past: () => "भेजने का समय निकल चुका है। आगे का समय चुनें, या अभी भेजने के लिए खाली छोड़ें।",
  send_at_otp: () => "OTP शेड्यूल नहीं किया जा सकता।",
  not_readable: () => "यह अभी नहीं दिखाया जा सकता। थोड़ी देर में फिर कोशिश करें।",
  too_late: () => "अब इसे रद्द नहीं किया जा सकता: यह भेजा जा चुका है या भेजा जा रहा है।",
  dlt_mismatch: ({ code, templateId, at, limit, length }) => {
    if (templateId === null) return "आपके खाते में ऐसा कोई DLT टेम्पलेट नहीं है जिससे यह टेक्स्ट मिले। कुछ नहीं काटा गया।";
    if (code === 635) {
      return `अक्षर ${at + 1} से शुरू होने वाले मान में ${length} अक्षर हैं; DLT टेम्पलेट ${templateId} में ${limit} की अनुमति है। कुछ नहीं काटा गया।`;
    }
    return `यह टेक्स्ट आपके किसी DLT टेम्पलेट से नहीं मिलता: अक्षर ${at + 1} से यह सबसे नज़दीकी टेम्पलेट ${templateId} से अलग है। कुछ नहीं काटा गया।`;
  },
  dlt_header: ({ code, templateId }) =>
    code === 634
      ? `यह सेंडर आईडी DLT टेम्पलेट ${templateId} का हेडर नहीं है। कुछ नहीं काटा गया।`
      : "यह सेंडर आईडी आपके DLT हेडर में नहीं है; छोटे और बड़े अक्षर अलग माने जाते हैं। कुछ नहीं काटा गया।",
  dlt_hours: ({ nextAt }) =>
    `भारत में इस समय प्रचार संदेश भेजने की अनुमति नहीं है। इसे ${timeText(nextAt, "full", "hi")} या उसके बाद के लिए शेड्यूल करें।`,
  otp_long: ({ segments, max }) =>
    `इस ब्रांड नाम के साथ आपका DLT टेम्पलेट OTP को ${segments} SMS लंबा बनाता है; अधिकतम ${max} हो सकते हैं। छोटा नाम या टेम्पलेट चुनें।`,
  recordings_full: ({ recordings, megabytes }) =>
    `आप कुल ${megabytes} MB तक की ${recordings} रिकॉर्डिंग रख सकते हैं। जगह बनाने के लिए कोई रिकॉर्डिंग हटाएँ; हटाई गई रिकॉर्डिंग तब तक गिनी जाती है जब तक उसे सुनाने वाली कॉलें पूरी नहीं हो जातीं।`,
  insufficient_balance: ({ needed, balance }) =>
    `बैलेंस कम है: इसकी कीमत ${rupees(needed, "hi")} है, आपके पास ${rupees(balance, "hi")} हैं।`,
  broken_character: ({ field }) => `${fields.hi[field]}: कोई अक्षर टूटा हुआ है। फिर से लिखें।`,
  length: ({ field, max, length }) =>
    length === 0
      ? `${fields.hi[field]}: यह खाली है।`
      : `${fields.hi[field]}: ज़्यादा से ज़्यादा ${count(max, "hi")} अक्षर हो सकते हैं; अभी ${count(length, "hi")} हैं।`,
  not_mobile: ({ field }) => `${fields.hi[field]}: नंबर 6, 7, 8 या 9 से शुरू होना चाहिए।`,
  ten_digits: ({ field, meant }) => meaning("hi", `${fields.hi[field]}: ठीक 10 अंक होने चाहिए।`, meant),
  indian_callee: ({ meant }) => meaning("hi", "10 अंकों का भारतीय नंबर लिखें।", meant),
  e164: ({ meant }) => meaning("hi", "नंबर + और देश के कोड के साथ लिखें, जैसे +14155550132।", meant),
  calling_code: () => "यह देश कोड मौजूद नहीं है।",
  number_length: () => "इस नंबर की लंबाई उसके देश के हिसाब से सही नहीं है।",
  landline: () => "यह लैंडलाइन नंबर है, जिस पर SMS नहीं जा सकता।",
  dialled: ({ meant }) => meaning("hi", "नंबर देश के कोड के साथ, केवल अंकों में लिखें, जैसे 919876543210।", meant),
  no_recipients: () => "कम से कम एक नंबर लिखें।",
  many_recipients: ({ max }) => `एक बार में ज़्यादा से ज़्यादा ${count(max, "hi")} नंबरों पर भेजा जा सकता है। सूची के हिस्से करें।`,
  sender_id: () => "Sender ID में 1 से 11 अक्षर, अंक, खाली जगह, डैश, अंडरस्कोर या बिंदु हो सकते हैं।",
  otp_digits: () => "4 से 8 अंकों का कोड लिखें।",
  brand_lines: () => "ब्रांड के नाम में नई पंक्ति या कंट्रोल अक्षर नहीं हो सकते।",
  file_path: () => "फ़ाइल के नाम में स्लैश या कंट्रोल अक्षर नहीं हो सकते। नाम बदलें।",
  file_extension: () => ".wav या .mp3 फ़ाइल चुनें।",
  file_kind: () => "यह रिकॉर्डिंग सुनाई नहीं जा सकती। WAV (PCM, µ-law, A-law) या MP3 चुनें।",
  file_mismatch: ({ claimed, actual }) => ({
    error: `फ़ाइल के नाम में .${claimed} है, पर उसमें ${actual.toUpperCase()} ऑडियो है।`,
    hint: `नाम बदलकर .${actual} करें।`,
  }),
  file_empty: () => "फ़ाइल खाली है।",
  file_silent: () => "रिकॉर्डिंग खाली है।",
  file_long: ({ seconds, max }) => `रिकॉर्डिंग ${count(seconds, "hi")} सेकंड की है; सीमा ${count(max, "hi")} सेकंड है।`,
  damaged_form: () => "यह फ़ॉर्म पढ़ा नहीं जा सका। पेज फिर से खोलें।",
  other_site: () => "यह फ़ॉर्म किसी और साइट से भेजा गया था। पेज यहाँ खोलें और फिर भेजें।",
};

/** What a code means to a reader where no more is known. */
const codes = words<Record<ErrorCode, string>>(
  {
    invalid_request: "The form contains something invalid. Check it and try again.",
    invalid_json: "The form couldn't be read. Open the page again.",
    unauthorized: "You are signed out. Sign in again.",
    insufficient_balance: "Insufficient balance.",
    too_many: "There is no room for more.",
    invalid_quote: "The price that you were shown is no longer valid. Check the form again.",
    dlt_mismatch: "The text fits none of your DLT templates. Nothing was charged.",
    dlt_header: "This sender ID does not fit your DLT registry. Nothing was charged.",
    dlt_hours: "Promotional messages are not allowed in India at this time.",
    too_late: "It's too late to cancel this: it was sent, or is being sent.",
    in_use: "This is still in use. Take it out of use first.",
    events_expired: "That is not kept any more.",
    account_suspended: "This account is suspended. Ask the operator to reactivate it.",
    permission_denied: "You are not allowed to do this.",
    country_not_allowed: "This account can't send to this country.",
    number_blocked: "This number can't be reached.",
    spend_cap_reached: "Today's spending limit is reached.",
    not_found: "The link may be outdated, or you may not have access.",
    method_not_allowed: "This address can't be opened this way.",
    idempotency_in_progress: "This is still being done. Try again in a moment.",
    payload_too_large: "The form or file is too large.",
    unsupported_media_type: "The form couldn't be read. Open the page again.",
    idempotency_mismatch: "This form was already sent with different content. Reload the page to send again.",
    rate_limited: "Too many requests. Try again later.",
    otp_limited: "Too many codes. Try again later.",
    internal_error: "An error occurred on our side. Try again in a moment.",
    unavailable: "The service is busy. It's unknown whether this was done. Check before you try again.",
  },
  {
    invalid_request: "फ़ॉर्म में कुछ गलत है। उसे जाँचें और फिर कोशिश करें।",
    invalid_json: "फ़ॉर्म पढ़ा नहीं जा सका। पेज फिर से खोलें।",
    unauthorized: "आप साइन आउट हो गए हैं। फिर से साइन इन करें।",
    insufficient_balance: "बैलेंस कम है।",
    too_many: "और के लिए जगह नहीं है।",
    invalid_quote: "जो कीमत दिखाई गई थी, वह अब मान्य नहीं है। फ़ॉर्म फिर से जाँचें।",
    dlt_mismatch: "यह टेक्स्ट आपके किसी DLT टेम्पलेट से नहीं मिलता। कुछ नहीं काटा गया।",
    dlt_header: "यह सेंडर आईडी आपकी DLT सूची से मेल नहीं खाता। कुछ नहीं काटा गया।",
    dlt_hours: "भारत में इस समय प्रचार संदेश भेजने की अनुमति नहीं है।",
    too_late: "अब इसे रद्द नहीं किया जा सकता: यह भेजा जा चुका है या भेजा जा रहा है।",
    in_use: "यह अभी इस्तेमाल में है। पहले इसे इस्तेमाल से हटाएँ।",
    events_expired: "यह अब उपलब्ध नहीं है।",
    account_suspended: "यह खाता निलंबित है। ऑपरेटर से इसे सक्रिय करवाएँ।",
    permission_denied: "आपको यह करने की अनुमति नहीं है।",
    country_not_allowed: "यह खाता इस देश में नहीं भेज सकता।",
    number_blocked: "इस नंबर पर नहीं भेजा जा सकता।",
    spend_cap_reached: "आज के खर्च की सीमा पूरी हो गई है।",
    not_found: "लिंक पुराना हो सकता है, या आपको इसे देखने की अनुमति नहीं है।",
    method_not_allowed: "यह पता इस तरह नहीं खोला जा सकता।",
    idempotency_in_progress: "यह काम अभी चल रहा है। थोड़ी देर में फिर कोशिश करें।",
    payload_too_large: "फ़ॉर्म या फ़ाइल बहुत बड़ी है।",
    unsupported_media_type: "फ़ॉर्म पढ़ा नहीं जा सका। पेज फिर से खोलें।",
    idempotency_mismatch: "यह फ़ॉर्म पहले किसी और सामग्री के साथ भेजा जा चुका है। फिर भेजने के लिए पेज दोबारा खोलें।",
    rate_limited: "बहुत ज़्यादा अनुरोध हुए। बाद में फिर कोशिश करें।",
    otp_limited: "बहुत ज़्यादा कोड भेजे गए। बाद में फिर कोशिश करें।",
    internal_error: "हमारी ओर से कोई गड़बड़ हुई। थोड़ी देर में फिर कोशिश करें।",
    unavailable: "सेवा व्यस्त है। पता नहीं कि यह काम हुआ या नहीं। फिर कोशिश करने से पहले जाँच लें।",
  },
);

const sentences: Record<Lang, Sentences> = { en, hi };

const difference: Record<Lang, (of: Pick<DltRefused, "expected" | "found">) => string> = {
  en: ({ expected, found }) => `The template has “${expected}” there, the text “${found}”.`,
  hi: ({ expected, found }) => `वहाँ टेम्पलेट में “${expected}” है, टेक्स्ट में “${found}”।`,
};

/** A failure in the reader's language: by its fault, else what its code means. */
export function failureText({ code, error, hint, fault, forReader, dlt }: Failure, lang: Lang): Sentence {
  if (forReader) return { error, ...(hint !== undefined && { hint }) };
  // A page shows the difference to the sender; the failure that is logged has nothing of the text.
  if (fault?.id === "dlt_mismatch" && dlt) {
    return { ...sentenceOf(sentences[lang], fault), hint: difference[lang](dlt) };
  }
  return fault ? sentenceOf(sentences[lang], fault) : { error: codes[lang][code] };
}
