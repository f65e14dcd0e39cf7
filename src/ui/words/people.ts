import { words } from "../view.ts";

/** Words for the second step of a sign-in, a change of phone, and the list of sessions. */
export const peopleWords = words(
  {
    forgot: "Forgot your password?",
    forgotTitle: "Set a new password",
    forgotLead: "Sign in with a code to your mobile number. Then you can set a new password in Settings.",
    setPassword: "You are signed in. Set your new password below.",
    newBrowser: "You haven't signed in with this browser before, so we also need a code.",
    backToPassword: "Back to sign-in",
    secondNotOffered:
      "We can't send a code to your mobile number right now. Sign in with a browser that you have used before.",
    tooManyToday: "Too many changes today. Try again tomorrow.",
    saved: {
      phone: "You sign in with the new number from now on. All other browsers are signed out.",
      email: "Your email is saved, and all other browsers are signed out.",
      session: "That browser is signed out.",
      wait: "Your new number is verified. From the day that the change takes effect, you can sign in with it.",
      stopped: "The change of your number is stopped.",
    },
    oldPhoneFirst: (phone: string) => `To change your number, first enter a code that we send to ${phone}.`,
    askOldPhone: "Send a code to the current number",
    lostPhone: "I no longer have this number",
    lostTitle: "Change a number that you no longer have",
    lostLead:
      "Enter your new number and the code that we send to it. The change takes effect after 7 days. We notify your old number by SMS, and until then you can stop the change in Settings.",
    lostSubmit: "Send a code",
    waiting: (phone: string, day: string) =>
      `From ${day}, this account signs in with the new number ${phone}, and all browsers are signed out.`,
    stop: "Stop the change",
    notYet: (day: string) =>
      `This number will sign in to your account from ${day}. Until then, use your email and password, or your old number.`,
    signOutOne: "Sign out",
    signOutOneOf: (device: string) => `Sign out ${device}`,
    olderSessions: (count: string) => `Older sessions (${count})`,
    endHint: "A browser that you sign out needs a code, besides the password, at its next sign-in.",
    noSession: "There is no such session.",
  },
  {
    forgot: "पासवर्ड भूल गए?",
    forgotTitle: "नया पासवर्ड बनाएँ",
    forgotLead: "अपने मोबाइल नंबर पर आए कोड से साइन इन करें। फिर सेटिंग में नया पासवर्ड बना सकते हैं।",
    setPassword: "आप साइन इन हैं। अपना नया पासवर्ड नीचे लिखें।",
    newBrowser: "इस ब्राउज़र से आपने पहले साइन इन नहीं किया है, इसलिए एक कोड भी चाहिए।",
    backToPassword: "साइन इन पर वापस जाएँ",
    secondNotOffered: "अभी हम आपके मोबाइल नंबर पर कोड नहीं भेज सकते। पहले इस्तेमाल किए हुए ब्राउज़र से साइन इन करें।",
    tooManyToday: "आज बहुत ज़्यादा बदलाव हुए। कल फिर कोशिश करें।",
    saved: {
      phone: "अब से आप नए नंबर से साइन इन करेंगे। बाकी सभी ब्राउज़र साइन आउट हो गए।",
      email: "आपका ईमेल सहेजा गया, और बाकी सभी ब्राउज़र साइन आउट हो गए।",
      session: "वह ब्राउज़र साइन आउट हो गया।",
      wait: "आपके नए नंबर की पुष्टि हो गई। बदलाव लागू होने के दिन से आप इससे साइन इन कर सकेंगे।",
      stopped: "नंबर का बदलाव रोक दिया गया।",
    },
    oldPhoneFirst: (phone: string) => `नंबर बदलने के लिए पहले वह कोड लिखें जो हम ${phone} पर भेजेंगे।`,
    askOldPhone: "मौजूदा नंबर पर कोड भेजें",
    lostPhone: "यह नंबर अब मेरे पास नहीं है",
    lostTitle: "वह नंबर बदलें जो अब आपके पास नहीं है",
    lostLead:
      "अपना नया नंबर और उस पर आया कोड लिखें। बदलाव 7 दिन बाद लागू होगा। हम आपके पुराने नंबर पर SMS से सूचना देंगे, और तब तक आप सेटिंग में बदलाव रोक सकते हैं।",
    lostSubmit: "कोड भेजें",
    waiting: (phone: string, day: string) =>
      `${day} से इस खाते में नए नंबर ${phone} से साइन इन होगा, और सभी ब्राउज़र साइन आउट हो जाएँगे।`,
    stop: "बदलाव रोकें",
    notYet: (day: string) => `यह नंबर ${day} से आपके खाते में साइन इन करेगा। तब तक ईमेल और पासवर्ड या पुराना नंबर इस्तेमाल करें।`,
    signOutOne: "साइन आउट करें",
    signOutOneOf: (device: string) => `${device} को साइन आउट करें`,
    olderSessions: (count: string) => `पुराने सेशन (${count})`,
    endHint: "जिस ब्राउज़र को आप साइन आउट करते हैं, उसे अगली बार पासवर्ड के साथ कोड भी चाहिए होगा।",
    noSession: "ऐसा कोई सेशन नहीं है।",
  },
);
