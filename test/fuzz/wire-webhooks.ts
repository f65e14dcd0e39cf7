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
};

export const WEBHOOK_PAGES = {
  "GET /endpoints": { query: { done: "deleted" } },
  "GET /endpoints/:webhook": { query: { done: "saved" } },
};

export const WEBHOOK_FORMS = {
  "POST /endpoints": {
    form: {
      url: "http://localhost:9/hook",
      types: "message.*",
      description: "a",
      batch: "on",
      once: "{once}",
    },
  },
  "POST /endpoints/verify": { form: { headers: "webhook-id: evt_1", body: "{}", secret: "whsec_" } },
  "POST /endpoints/:webhook/test": { form: {} },
  "POST /endpoints/:webhook/replay": { form: { from: "1", to: "2" } },
  "POST /endpoints/:webhook/state": { form: { state: "active", skip: "on" } },
  "POST /endpoints/:webhook/show": { form: {} },
  "POST /endpoints/:webhook/rotate": { form: { overlap: "3600" } },
  "POST /endpoints/:webhook/delete": { form: {} },
};
