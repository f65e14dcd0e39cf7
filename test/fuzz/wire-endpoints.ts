import { WEBHOOKS, WEBHOOK_FORMS, WEBHOOK_PAGES } from "./wire-webhooks.ts";
import { mp3 } from "../world/recordings.ts";
import { CARRIERS, CARRIER_FORMS, CARRIER_PAGES } from "./wire-carriers.ts";
import { DOCS_PAGES } from "./wire-docs.ts";
import { QUESTIONS } from "./wire-questions.ts";
import { RULES, RULE_PAGES } from "./wire-rules.ts";
import type { Shape } from "./wire-shape.ts";
import { WAYS_IN } from "./wire-ways.ts";

// All endpoints with a valid request for each, where the fuzzers start; endpoints.test.ts compares it with src/routes.

export type BaseName = "sms" | "tts" | "voice" | "otp" | "console";

export interface Endpoint extends Shape {
  /** As in src/routes: `POST /keys/:keyId/rotate`. */
  name: string;
  base: BaseName;
  method: string;
  path: string;
  /** Answers with JSON, whatever the Accept header says. */
  isApi: boolean;
}

const SMS = { phone: "9876543210", message: "Hello", senderId: "SHOP" };
const ABROAD = { phone: "+14155550132", message: "Hello" };
const CALL = { callee: "9876543210", text: "Namaste", language: "HI", accent: "91" };
const OTP = { phone: "9876543210", otp: "048213", brandName: "Shop" };
const PAGE = { limit: "2", after: "", mode: "live" };
const NEXT = { next: "/keys" };
const CODE = { code: "123456" };

const OPERATIONS: Record<string, Shape & { base: BaseName }> = {
  "POST /send-sms": { base: "sms", json: SMS },
  "POST /send-bulk-sms": { base: "sms", json: { recipients: ["9876543210", "9876543211"], message: "Hello" } },
  "POST /send-international-sms": { base: "sms", json: { ...ABROAD, isFlash: true } },
  "GET /account-balance": { base: "sms" },
  "POST /api/tts-call": { base: "tts", json: { ...CALL, ssmlGender: 1, speakingRate: 0.8 } },
  "POST /api/upload-voice": {
    base: "voice",
    json: { fileName: "a.mp3", base64Data: Buffer.from(mp3(1)).toString("base64") },
  },
  "POST /api/make-voice-call": { base: "voice", json: { callee: "919876543210", fileId: "{file}" } },
  "POST /send-otp": { base: "otp", json: OTP },
  ...WAYS_IN,
};

const PROGRAMS: Record<string, Shape & { base?: BaseName }> = {
  "GET /healthz": {},
  "GET /readyz": {},
  "POST /operator/accounts": { json: { name: "Shop", plan: "starter", balance: 1.5, otpRate: 0.25 } },
  "GET /operator/accounts/:id": { query: { mode: "test" } },
  "PATCH /operator/accounts/:id": { json: { status: "active", plan: "premium", otpRate: 0.2 } },
  "DELETE /operator/accounts/:id": { query: { give_up: "1.5" } },
  "POST /operator/accounts/:id/close": { json: { grace_days: 1.5, give_up: 0 } },
  "POST /operator/accounts/:id/keep": { json: {} },
  "GET /operator/accounts/:id/export": { query: { after: "live.1" } },
  "GET /operator/erasures": { query: { limit: "2", before: "1.acc_x" } },
  "POST /operator/accounts/:id/credits": { json: { amount: 12.5, reference: "ref-1", note: "by hand" } },
  "GET /operator/accounts/:id/ledger": { query: PAGE },
  "GET /operator/accounts/:id/messages": { query: PAGE },
  "GET /operator/accounts/:id/archives": { query: PAGE },
  "GET /operator/accounts/:id/archives/:name": { query: { mode: "live" } },
  "GET /operator/accounts/:id/keys": {},
  "POST /operator/accounts/:id/keys": { json: { name: "key", mode: "live" } },
  "DELETE /operator/accounts/:id/keys/:keyId": {},
  "POST /operator/accounts/:id/keys/expire": { json: { made_before: "2020-01-01T00:00:00Z" } },
  "GET /operator/secrets": {},
  "GET /operator/secrets/keys": { query: PAGE },
  "POST /operator/accounts/:id/keys/:keyId/rotate": { json: { overlapSeconds: 3_600 } },
  ...RULES,
  "GET /operator/reconcile": { query: { account: "{id}", after: "" } },
  "POST /operator/accounts/:id/history/rebuild": { query: { mode: "test" } },
  "POST /operator/history/rebuild": { json: { database: 1 } },
  "GET /operator/audit": { query: { account: "{id}", limit: "10", after: "1.act_x" } },
  "GET /operator/health": {},
  "GET /operator/metrics": {},
  "POST /operator/alerts/test": { json: {} },
  ...CARRIERS,
  "GET /media/:token": {},
  "GET /openapi.json": {},
  "GET /openapi-operator.json": {},
  "POST /webhooks/payments/:provider": {
    json: {
      id: "evt_1",
      kind: "paid",
      order_id: "{order}",
      payment_id: "pay_1",
      amount: 58_882,
      refunded: 0,
      currency: "INR",
    },
    signed: "payments",
  },
  // A short timeout, because a long poll would look like a hang.
  "GET /v1/test/inbox": { query: { q: "kind:sms", to: "9876543210", since: "{inboxId}", limit: "2", after: "" } },
  "GET /v1/test/inbox/wait": { query: { timeout: "0.1", q: "kind:sms", to: "9876543210", since: "{inboxId}" } },
  "DELETE /v1/test/inbox": { query: { q: "kind:call", to: "9876543210", since: "{inboxId}" } },
  "GET /v1/test/inbox/:id": {},
  "DELETE /v1/test/inbox/:id": {},
  ...QUESTIONS,
  "GET /v1/recordings": { query: { limit: "2", after: "1.file_x" } },
  "GET /v1/recordings/:file": {},
  "PATCH /v1/recordings/:file": { json: { name: "Offer" } },
  "DELETE /v1/recordings/:file": {},
  ...WEBHOOKS,
};

const PAGES: Record<string, Shape> = {
  "GET /": {},
  "GET /live": { query: { from: "1" }, socket: true },
  "GET /assets/icon.svg": {},
  "GET /assets/:name": {},
  "GET /send": {},
  "GET /send/:kind": { query: { to: "+14155550132", file: "{file}" } },
  "GET /activity": { query: { q: "to:9876 -kind:otp", older: "5", newer: "1" } },
  "GET /activity.csv": { query: { q: "state:delivered,failed" } },
  "GET /activity/:id": {},
  "GET /activity/:id/cancel": {},
  "GET /schedule": { query: { after: "1793491200000.5", cancelled: "3" } },
  "GET /schedule/:request/cancel": {},
  "GET /requests": { query: { older: "1793491200000.req_x" } },
  "GET /inbox": { query: { q: "kind:otp", after: "3" } },
  "GET /inbox/live": { query: { q: "kind:otp", after: "3" }, socket: true },
  "GET /inbox/:id{(?:msg|call)_[0-9A-Za-z]+}": {},
  ...WEBHOOK_PAGES,
  ...CARRIER_PAGES,
  "GET /recordings": { query: { after: "x", added: "1" } },
  "GET /recordings/:file/delete": {},
  "GET /keys": { query: { done: "revoked" } },
  "GET /keys/expire": { query: { before: "2020-01-01" } },
  "GET /keys/:keyId/rotate": {},
  "GET /keys/:keyId/revoke": {},
  "GET /billing": {},
  "GET /billing/orders/:order": {},
  "GET /billing/orders/:order/invoice": {},
  "GET /billing/orders/:order/notes/:note": {},
  "GET /pay/:order": {},
  "GET /settings": { query: { saved: "name", note: "email" } },
  "GET /settings/name": {},
  "GET /settings/archives": { query: { after: "1" } },
  "GET /settings/archives/:name": {},
  "GET /settings/login": {},
  "GET /settings/sessions": {},
  "GET /settings/buyer": {},
  "GET /settings/close": {},
  "GET /settings/keep": {},
  "GET /settings/export": { query: { after: "live.1" } },
  "GET /settings/phone": { query: { again: "1" } },
  "GET /settings/phone/code": {},
  "GET /settings/phone/resend": {},
  "GET /settings/phone/stop": {},
  "GET /settings/phone/lost": {},
  "GET /settings/phone/lost/code": { query: { again: "1" } },
  "GET /settings/phone/lost/resend": {},
  "GET /settings/sessions/:handle": {},
  "GET /sign-in": { query: NEXT },
  "GET /sign-in/code": { query: { again: "1" } },
  "GET /sign-in/resend": {},
  "GET /sign-in/forgot": {},
  "GET /sign-in/password": { query: { ...NEXT, note: "wait" } },
  "GET /sign-in/password/code": { query: { again: "1" } },
  "GET /sign-in/password/resend": {},
  "GET /sign-in/password/lost": {},
  "GET /sign-in/password/lost/code": { query: { again: "1" } },
  "GET /sign-in/password/lost/resend": {},
  "GET /sign-up": { query: NEXT },
  "GET /confirm": { query: { ...NEXT, again: "1" } },
  "GET /confirm/code": { query: NEXT },
  "GET /confirm/:step": {},
  "GET /desk": { query: { q: "Demo", before: "1.acc_x", done: "opened" } },
  "GET /desk/sign-in": { query: NEXT },
  "GET /desk/accounts/:id": { query: { mode: "test", done: "credited" } },
  "GET /desk/payments": { query: { done: "settled" } },
  "GET /desk/notes/:note": {},
  "GET /desk/queues": { query: { done: "gone" } },
  "GET /desk/health": {},
  "GET /desk/reconcile": { query: { account: "{id}", after: "x", run: "1" } },
  "GET /desk/accounts/:id/suspend": {},
  "GET /desk/accounts/:id/reveal": {},
  "GET /desk/leaving": { query: { before: "1.acc_x", done: "closing" } },
  "GET /desk/accounts/:id/leave": {},
  "GET /desk/accounts/:id/close": {},
  "GET /desk/accounts/:id/keep": {},
  "GET /desk/accounts/:id/erase": {},
  "GET /desk/accounts/:id/export": { query: { after: "live.1" } },
  "GET /desk/audit": { query: { account: "{id}", actor: "token", action: "money.credited", before: "1.act_x" } },
  "GET /desk/sessions": { query: { done: "ended" } },
  "GET /desk/sessions/end-all": {},
  "GET /usage": {},
  ...DOCS_PAGES,
  "GET /settings/activity": { query: { before: "1.act_x" } },
};

const ONCE = { once: "{once}" };

const FORMS: Record<string, Shape> = {
  "POST /preferences": { form: { lang: "hi", theme: "dark", mode: "live", ...NEXT } },
  "POST /sign-in": { form: { phone: "9876543210", ...NEXT } },
  "POST /sign-in/code": { form: CODE },
  "POST /sign-in/resend": { form: {} },
  "POST /sign-in/password": { form: { email: "a@example.com", password: "correct horse", ...NEXT } },
  "POST /sign-in/password/code": { form: CODE },
  "POST /sign-in/password/resend": { form: {} },
  "POST /sign-in/password/lost": { form: { phone: "9876543210" } },
  "POST /sign-in/password/lost/code": { form: CODE },
  "POST /sign-in/password/lost/resend": { form: {} },
  "POST /sign-in/demo": { form: NEXT },
  "POST /sign-out": { form: {} },
  "POST /sign-out/everywhere": { form: {} },
  "POST /sign-up": { form: { phone: "9876543210", email: "a@example.com", password: "correct horse", name: "Shop" } },
  "POST /confirm/send": { form: NEXT },
  "POST /confirm/resend": { form: NEXT },
  "POST /confirm/code": { form: { ...CODE, ...NEXT } },
  "POST /confirm/password": { form: { password: "dastak-demo", ...NEXT } },
  "POST /confirm/demo": { form: NEXT },
  "POST /send/:kind/check": { form: { ...SMS, phone: "+91 98765-43210", message: "It's $HOME \\ `x`" } },
  "POST /send/bulk/check": { form: { recipients: "9876543210\n98765", skip: "1" } },
  "POST /send/bulk": { form: { recipients: "9876543210\n9876543211", message: "Hello", skip: "1", ...ONCE } },
  "POST /send/:kind": {
    form: {
      ...SMS,
      ...CALL,
      ...OTP,
      recipients: "9876543210",
      isFlash: "1",
      fileId: "{file}",
      ssmlGender: "1",
      ...ONCE,
    },
  },
  "POST /activity/:id/cancel": { form: { mode: "live" } },
  "POST /schedule/:request/cancel": { form: { mode: "live" } },
  "POST /inbox/clear": { form: { q: "kind:call" } },
  "POST /inbox/:id{(?:msg|call)_[0-9A-Za-z]+}/delete": { form: { q: "kind:call" } },
  ...WEBHOOK_FORMS,
  ...CARRIER_FORMS,
  "POST /recordings": { form: { file: "x", ...ONCE } },
  "POST /recordings/:file/rename": { form: { name: "Offer", mode: "live" } },
  "POST /recordings/:file/delete": { form: { mode: "live" } },
  "POST /keys": { form: { name: "key", ...ONCE } },
  "POST /keys/expire": { form: { before: "2020-01-01" } },
  "POST /keys/:keyId/show": { form: {} },
  "POST /keys/:keyId/rotate": { form: { overlap: "3600", ...ONCE } },
  "POST /keys/:keyId/revoke": { form: {} },
  "POST /billing/orders": { form: { plan: "business", ...ONCE } },
  "POST /billing/orders/:order/pay": { form: {} },
  "POST /pay/:order": { form: { outcome: "pending", twice: "1", disorder: "1", wrong: "1" } },
  "POST /settings/close": { form: { balance: "10000", giveUp: "1" } },
  "POST /settings/keep": { form: {} },
  "POST /desk/accounts/:id/reveal": { form: { mode: "live" } },
  "POST /desk/accounts/:id/close": { form: { graceDays: "14", balance: "10000", giveUp: "1" } },
  "POST /desk/accounts/:id/keep": { form: {} },
  "POST /desk/accounts/:id/erase": { form: { typedId: "{id}", balance: "10000", giveUp: "1" } },
  "POST /settings/name": { form: { name: "Shop" } },
  "POST /settings/login": { form: { email: "a@example.com", password: "correct horse" } },
  "POST /settings/sessions": { form: {} },
  "POST /settings/buyer": {
    form: { buyer_name: "Shop", buyer_address: "1 Road", buyer_state: "29", buyer_gstin: "29AAAAA0000A1ZY" },
  },
  "POST /settings/phone": { form: { phone: "9876543210" } },
  "POST /settings/phone/code": { form: CODE },
  "POST /settings/phone/resend": { form: {} },
  "POST /settings/phone/stop": { form: {} },
  "POST /settings/phone/lost": { form: { phone: "9876543210" } },
  "POST /settings/phone/lost/code": { form: CODE },
  "POST /settings/phone/lost/resend": { form: {} },
  "POST /settings/sessions/:handle": { form: {} },
  "POST /desk/sign-in": { form: { token: "{token}", ...NEXT } },
  "POST /desk/sign-out": { form: {} },
  "POST /desk/sessions": { form: { session: "x" } },
  "POST /desk/sessions/end-all": { form: {} },
  "POST /desk/accounts": { form: { name: "Shop", plan: "starter", balance: "5", otpRate: "0.2", ...ONCE } },
  "POST /desk/accounts/:id/standing": { form: { status: "active", plan: "premium", otpRate: "0.2", mode: "live" } },
  "POST /desk/accounts/:id/credits": { form: { amount: "5", reference: "r", note: "n", mode: "live" } },
  ...RULE_PAGES,
  "POST /desk/payments": { form: { provider: "sandbox", event: "evt_1", once: "x" } },
  "POST /desk/queues/dead-letters": { form: { id: "1", do: "retry" } },
  "POST /desk/health/test": { form: {} },
};

function endpoints(shapes: Record<string, Shape & { base?: BaseName }>, isApi: boolean): Endpoint[] {
  return Object.entries(shapes).map(([name, shape]) => {
    const [method = "", path = ""] = name.split(" ");
    return { name, method, path, isApi, base: "console", ...shape };
  });
}

/** The eight operations, which charge (contract §1), and the ways in for other software (contract §15). */
export const CHARGING = endpoints(OPERATIONS, true);

/** The other endpoints for programs: health, operator, carriers, payment providers, the test inbox. */
export const ASKED_BY_PROGRAMS = endpoints(PROGRAMS, true);

/** Pages and their forms. */
export const CONSOLE = endpoints({ ...PAGES, ...FORMS }, false);

export const ENDPOINTS: readonly Endpoint[] = [...CHARGING, ...ASKED_BY_PROGRAMS, ...CONSOLE];
