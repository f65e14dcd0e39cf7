import type { Shape } from "./wire-shape.ts";

// The ways in for other software (contract §15), for the fuzzers' list of endpoints.

/** Those that answer as our own operations do. */
export const WAYS_IN: Record<string, Shape & { base: "sms" | "otp" }> = {
  "POST /v1/gateway": {
    base: "sms",
    json: { to: "+919876543210", message: "Hello", title: "Shop", from: "SHOP", alerts: [{ status: "firing" }] },
    query: { to: "9876543210" },
  },
};

/** Those in Twilio's form, whose replies and failures are of its shape. */
export const WAYS: Record<string, Shape & { base: "sms" }> = {
  "POST /2010-04-01/Accounts/:sid/Messages.json": {
    base: "sms",
    form: {
      To: "+919876543210",
      From: "SHOP",
      Body: "Hello",
      ValidityPeriod: "60",
      MessagingServiceSid: "MG1",
      StatusCallback: "http://127.0.0.1:9/",
    },
  },
  "GET /2010-04-01/Accounts/:sid/Messages.json": {
    base: "sms",
    query: { To: "+919876543210", "DateSent>": "2026-11-01", PageSize: "2", Page: "1", PageToken: "5.0" },
  },
  "GET /2010-04-01/Accounts/:sid/Messages/:id": { base: "sms" },
  "POST /2010-04-01/Accounts/:sid/Messages/:id": { base: "sms", form: { Status: "canceled" } },
  "GET /2010-04-01/Accounts/:sid/Balance.json": { base: "sms" },
};
