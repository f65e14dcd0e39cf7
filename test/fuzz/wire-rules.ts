import type { Shape } from "./wire-shape.ts";

// What the operator sets: prices, refused numbers and the rules of an account; and the cap that an account's owner sets.

export const RULES: Record<string, Shape> = {
  "GET /operator/rate-card": {},
  "PUT /operator/rate-card": {
    json: { smsIndia: 1, smsAbroad: 5, ttsCall: 2, voiceCallPer30s: 2, smsByCountry: { US: 4 } },
  },
  "GET /operator/number-rules": {},
  "PUT /operator/number-rules": { json: { premium_rate: "refuse", prefixes: [{ prefix: "+8821", note: "a list" }] } },
  "GET /operator/accounts/:id/rules": { query: { mode: "test" } },
  "PUT /operator/accounts/:id/rules": {
    json: {
      countries: ["IN", "+44"],
      allow_prefixes: ["+8821"],
      refuse_prefixes: ["+9198760"],
      spend_cap: 2.5,
      otp_per_number: 5,
      otp_per_prefix: 30,
    },
  },
};

export const RULE_PAGES: Record<string, Shape> = {
  "GET /desk/rate-card": { query: { done: "saved" } },
  "GET /desk/number-rules": { query: { done: "changed" } },
  "GET /desk/accounts/:id/rules": {},
  "GET /settings/spend-cap": {},
  "POST /desk/rate-card": {
    form: { smsIndia: "1", smsAbroad: "5", ttsCall: "2", voiceCallPer30s: "2", countries: "US 4" },
  },
  "POST /desk/number-rules": { form: { premium: "refuse", prefixes: "+8821 a list" } },
  "POST /desk/accounts/:id/rules": {
    form: { countries: "IN +44", allow: "+8821", refuse: "+9198760", cap: "2.5", perNumber: "5", perPrefix: "30" },
  },
  "POST /settings/spend-cap": { form: { cap: "" } },
};
