import type { Shape } from "./wire-shape.ts";

// Carriers, routes and prices of the operator, with their pages, and where receipts come to. No carrier is set up under a name that the paths get,
// so that no test message leaves.

const ACME = {
  kind: "http",
  settings: { url: "https://gateway.example.com/messages" },
  secrets: { secret: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=" },
  tps: 50,
};

const ROUTES = [{ operations: ["otp"], to: ["IN", "+1"], carriers: [{ name: "sim", weight: 2 }], fallback: ["sim"] }];

const RECEIPT = { ref: "{message}", state: "delivered", code: "0" };

export const CARRIERS: Record<string, Shape> = {
  "GET /operator/carriers": { query: { limit: "2", after: "acme" } },
  "GET /operator/carriers/:name": {},
  "PUT /operator/carriers/:name": { json: ACME },
  "DELETE /operator/carriers/:name": {},
  "POST /operator/carriers/:name/test": { json: { to: "+919876543210", text: "Hello" } },
  "GET /operator/routes": {},
  "PUT /operator/routes": { json: { routes: ROUTES } },
  "GET /operator/carrier-set": {},
  "PUT /operator/carrier-set": { json: { carriers: [{ name: "acme", ...ACME }], routes: ROUTES } },
  "GET /callbacks/:carrier": {},
  "POST /callbacks/:carrier": { json: RECEIPT, signed: "carrier" },
  "GET /callbacks/:carrier/:token": {},
  "POST /callbacks/:carrier/:token": { json: RECEIPT, signed: "carrier" },
};

const DESCRIBED = {
  kind: "template",
  preset: "msg91",
  name: "acme",
  tps: "50",
  "settings.url": "https://gateway.example.com/{secret.key}",
  "settings.method": "POST",
  "settings.body": '{"to":"{to}"}',
  "settings.operations.sms": "1",
  "settings.accepted": '[{"status":"2xx","body":"ok"}]',
  "settings.receipt": '{"ref":"r","state":"s","states":{"OK":"delivered"}}',
  "secrets.key": "k",
  "remove.old": "1",
  do: "read",
  sampleTo: "+919876543210",
  sampleText: "Hello",
  answerStatus: "200",
  answerHeaders: "Retry-After: 30",
  answerBody: "ok",
  receiptQuery: "r=1&s=OK",
  receiptBody: "r=1&s=OK",
};

export const CARRIER_PAGES: Record<string, Shape> = {
  "GET /desk/rate-card": { query: { done: "saved" } },
  "GET /desk/carriers": { query: { live: "1", done: "set" } },
  "GET /desk/new-carrier": { query: { kind: "template", preset: "msg91" } },
  "GET /desk/carriers/:name": {},
  "GET /desk/carriers/:name/test": {},
  "GET /desk/carriers/:name/delete": {},
  "GET /desk/carrier-set": {},
  "GET /desk/carrier-set/export": {},
  "GET /desk/carrier-set/take": {},
  "GET /desk/routes": { query: { to: "+919876543210", operation: "sms", ref: "msg_x", done: "saved" } },
  "GET /desk/route": { query: { n: "1", do: "remove" } },
};

export const CARRIER_FORMS: Record<string, Shape> = {
  "POST /desk/new-carrier": { form: DESCRIBED },
  "POST /desk/carriers/:name": { form: DESCRIBED },
  "POST /desk/carriers/:name/test": { form: { to: "+919876543210", text: "Hello", sure: "1" } },
  "POST /desk/carriers/:name/delete": { form: {} },
  "POST /desk/carrier-set": { form: { set: '{"carriers":[],"routes":[]}' } },
  "POST /desk/carrier-set/take": { form: { set: "x", mark: "x" } },
  "POST /desk/routes": {
    form: { do: "save", n: "0", mark: "x", to: "IN", carriers: "sim 1", fallback: "sim", "operations.sms": "1" },
  },
};
