// The endpoints of webhooks with a valid request for each: a part of wire-endpoints.ts.

export const WEBHOOKS = {
  "GET /v1/webhooks": {},
  "POST /v1/webhooks": {
    json: { url: "http://localhost:9/hook", types: ["message.*"], batch: true, description: "a" },
  },
  "POST /v1/webhooks/verify": { json: { headers: { "webhook-id": "evt_1" }, body: "{}", secret: "whsec_" } },
  "GET /v1/webhooks/:webhook": {},
  "PATCH /v1/webhooks/:webhook": { json: { batch: false, state: "active", skip: true } },
  "DELETE /v1/webhooks/:webhook": {},
  "POST /v1/webhooks/:webhook/rotate": { json: { overlapSeconds: 60 } },
  "POST /v1/webhooks/:webhook/test": {},
  "GET /v1/webhooks/:webhook/attempts": { query: { limit: "2", after: "1" } },
  "POST /v1/webhooks/:webhook/replay": { json: { from: 1, to: 2 } },
  "POST /hooks/supabase/:hook": {
    base: "otp" as const,
    json: { user: { id: "u", phone: "919876543210" }, sms: { otp: "048213", phone: "919876543210" } },
    signed: "supabase" as const,
  },
  "GET /v1/dlt": {},
  "PUT /v1/dlt": {
    json: {
      entity_id: "1201159159159159159",
      enforce: "warn",
      headers: [{ header: "ACMEIN", category: "otp" }],
      templates: [
        { template_id: "1107159159159159159", headers: ["ACMEIN"], category: "otp", text: "{#num#} for {#var#}" },
      ],
      otp: { template_id: "1107159159159159159", values: ["{otp}", "{brand}"] },
    },
  },
  "POST /v1/dlt/import": { csv: "Template ID,Header,Content\r\n1107159159159159158,ACMEIN,Order {#var#}" },
  "POST /v1/hooks": { json: { kind: "supabase", brandName: "Shop" } },
};

export const WEBHOOK_PAGES = {
  "GET /dlt": { query: { q: "order", after: "20", done: "saved" } },
  "GET /endpoints": { query: { done: "deleted" } },
  "GET /endpoints/:webhook": { query: { done: "saved" } },
  "GET /endpoints/:webhook/edit": {},
};

export const WEBHOOK_FORMS = {
  "POST /dlt/terms": { form: { entity_id: "1201159159159159159", enforce: "warn", otp: "", values: "" } },
  "POST /dlt/headers": { form: { header: "ACMEIN", category: "otp" } },
  "POST /dlt/templates": {
    form: { template_id: "1107159159159159158", headers: "ACMEIN", category: "otp", text: "{#var#} is it" },
  },
  "POST /dlt/templates/remove": { form: { template_id: "1107159159159159158" } },
  "POST /dlt/import": { form: {} },
  "POST /dlt/test": { form: { message: "1234 is it", senderId: "ACMEIN" } },
  "POST /endpoints": {
    form: {
      url: "http://localhost:9/hook",
      types: "message.*",
      description: "a",
      batch: "on",
      once: "{once}",
    },
  },
  "POST /endpoints/:webhook/edit": {
    form: { url: "http://localhost:9/moved", types: "*", description: "b", confirmed: "url" },
  },
  "POST /keys/hook": { form: { key: "{keyId}", brand: "Shop" } },
  "POST /endpoints/verify": { form: { headers: "webhook-id: evt_1", body: "{}", secret: "whsec_" } },
  "POST /endpoints/:webhook/test": { form: {} },
  "POST /endpoints/:webhook/replay": { form: { from: "1", to: "2" } },
  "POST /endpoints/:webhook/state": { form: { state: "active", skip: "on" } },
  "POST /endpoints/:webhook/show": { form: {} },
  "POST /endpoints/:webhook/rotate": { form: { overlap: "3600" } },
  "POST /endpoints/:webhook/delete": { form: {} },
};
