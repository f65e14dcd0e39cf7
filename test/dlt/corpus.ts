import type { Template } from "../../src/dlt/registry.ts";

// Templates as accounts in India register them: languages, tags, lines, and some that are nearly alike.

const TEXTS: [category: string, header: string, text: string][] = [
  ["otp", "ACMEIN", "{#numeric#} is your OTP to log in to Acme. Do not share it with anyone."],
  ["otp", "ACMEIN", "{#numeric#} is your OTP to pay Rs.{#var#} at {#alphanumeric#}. Valid for {#num#} minutes. - Acme"],
  ["otp", "ACMEOT", "<#> Your Acme code is {#var#}\nFA+9qCX9VSu"],
  [
    "transactional",
    "ACMEBK",
    "Rs.{#var#} debited from A/c {#alp#} on {#var#}. Avl Bal Rs.{#var#}. Not you? Call {#cbn#} - Acme Bank",
  ],
  ["transactional", "ACMEBK", "Rs.{#var#} credited to A/c {#alp#} on {#var#}. Avl Bal Rs.{#var#}. - Acme Bank"],
  [
    "service_implicit",
    "ACMEIN",
    "Dear {#var#}, your order {#alphanumeric#} has been shipped. Track it: {#url#} - Acme",
  ],
  ["service_implicit", "ACMEIN", "Dear {#var#}, your order {#alphanumeric#} was delivered on {#var#}. - Acme"],
  [
    "service_implicit",
    "ACMEIN",
    "Hi {#var#},\nYour appointment with {#var#} is on {#var#} at {#var#}.\nAcme Clinic, {#cbn#}",
  ],
  [
    "service_implicit",
    "ACMEED",
    "Fees of Rs.{#numeric#} for {#var#}{#var#} are due on {#var#}. Pay at {#urlott#} - Acme School",
  ],
  ["service_implicit", "ACMEIN", "नमस्ते {#var#}, आपका ऑर्डर {#alp#} आज पहुँचेगा। - एक्मे"],
  ["service_implicit", "ACMEIN", "வணக்கம் {#var#}, உங்கள் பில் ரூ.{#numeric#}. - ஆக்மி"],
  ["service_implicit", "ACMEIN", "మీ OTP {#numeric#}. ఎవరితోనూ పంచుకోవద్దు. - Acme"],
  [
    "service_explicit",
    "ACMEIN",
    "You asked to hear of {#var#}: it is back for Rs.{#numeric#} at {#urg#}. Stop: {#email#} - Acme",
  ],
  ["promotional", "600123", "Flat {#number#}% off at Acme till {#var#}! Shop at {#uro#}"],
  ["promotional", "600123", "Festive offer from Acme: {#number#}% off on {#var#}. T&C apply."],
  ["service_implicit", "ACMEIN", "Ticket {#alphanumeric#} is closed. Write to {#email#} if it is not solved. - Acme"],
  ["service_implicit", "ACMEIN", "Your plan ends on {#var#}. Recharge with Rs.{#numeric#} (50% extra) - Acme."],
  ["otp", "ACMEIN", "Use {#numeric#} as your password reset code. It ends in {#num#} min. - Acme"],
];

export const CORPUS: readonly Template[] = TEXTS.map(([category, header, text], nth) => ({
  templateId: `11071600000000${10_000 + nth}`,
  headers: [header],
  category,
  text,
}));
