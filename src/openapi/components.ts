import type { Header, Parameter } from "./types.ts";

// The parts that the operations of a document share.

export const HEADERS: Readonly<Record<string, Header>> = {
  "X-Request-Id": {
    description: "Names this request, in logs and in questions about it.",
    schema: { type: "string", pattern: "^req_[0-9A-Za-z]+$" },
  },
  "X-Message-Id": {
    description: "Names the message or call that was made, of several the first. It is the same on a replay.",
    schema: { type: "string", pattern: "^(msg|call)_[0-9A-Za-z]+$" },
  },
  "X-Dlt-Warning": {
    description: "With a DLT registry on `warn`: why an operator of India would not carry the message, which was sent.",
    schema: { type: "string", examples: ["633; template=1107159159159159159; at=12"] },
  },
  "RateLimit-Policy": {
    description: "The plan, its requests (`q`) and their window in seconds (`w`).",
    schema: { type: "string", examples: ['"starter";q=10;w=60'] },
  },
  RateLimit: {
    description: "The requests that are left (`r`), and the seconds until one more is (`t`).",
    schema: { type: "string", examples: ['"starter";r=9;t=60'] },
  },
  "Retry-After": {
    description: "Whole seconds; waiting that long is enough.",
    schema: { type: "string", pattern: "^[0-9]+$" },
  },
  "Idempotent-Replayed": {
    description: "`true` where this is the reply of an earlier request with the same Idempotency-Key.",
    schema: { type: "string", const: "true" },
  },
};

export const PARAMETERS: Readonly<Record<string, Parameter>> = {
  "Idempotency-Key": {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description: "Any text of yours that names this request: with the same one it is done once, for 7 days.",
    schema: { type: "string", pattern: "^[!-~]{1,255}$", examples: ["order-4711"] },
  },
  "Price-Quote": {
    name: "Price-Quote",
    in: "header",
    required: false,
    description: "The `quote` of a preflight of this request: its price is charged, once and within 10 minutes.",
    schema: { type: "string", pattern: "^quote_[0-9A-Za-z]+$" },
  },
};

const SCHEMES: Readonly<Record<string, Record<string, string>>> = {
  bearer: { type: "http", scheme: "bearer", description: "Your API key." },
  apiKeyHeader: { type: "apiKey", in: "header", name: "x-api-key", description: "Your API key." },
  keyAlone: {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "Your API key, and nothing before it.",
  },
  basic: { type: "http", scheme: "basic", description: "Your API key as the password." },
  operatorToken: { type: "http", scheme: "bearer", description: "The deployment's OPERATOR_TOKEN." },
};

/** The ways to prove who one is that this text names. */
export const securitySchemes = (text: string): Record<string, Record<string, string>> =>
  Object.fromEntries(Object.entries(SCHEMES).filter(([name]) => text.includes(`{"${name}":[]}`)));
