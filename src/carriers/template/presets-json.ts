import type { Preset } from "./preset.ts";

// Carriers that take JSON (presets.ts).

/** Receipts: a standard webhook of its panel to the callback address, with request_id and status in its body. */
export const fast2sms: Preset = {
  title: "Fast2SMS (DLT manual)",
  sources: ["https://docs.fast2sms.com/reference/dlt-manual-single", "https://docs.fast2sms.com/reference/sms-webhook"],
  settings: {
    url: "https://www.fast2sms.com/dev/bulkV2",
    headers: { authorization: "{secret.api_key}" },
    body: {
      route: "dlt_manual",
      sender_id: "{sender}",
      message: "{text}",
      template_id: "{dlt_template}",
      entity_id: "{dlt_entity}",
      numbers: "{to10}",
      flash: "{flash}",
    },
    operations: ["sms", "otp"],
    rejected: [{ status: [200, 400], json: { return: "false" } }, { status: [404, 413, 422] }],
    accepted: [{ status: "2xx", json: { return: "true" } }],
    id: { json: "request_id" },
    receipt: {
      id: "request_id",
      state: "status",
      states: { delivered: "delivered", failed: "undelivered", sent: "submitted" },
    },
  },
  secrets: { api_key: "The API key of the panel's developer page." },
};

/** It answers 200 to everything; no receipts are documented, so that its messages stay submitted. */
export const airtel: Preset = {
  title: "Airtel IQ",
  sources: [
    "https://github.com/api-evangelist/bharti-airtel (skills/bharti-airtel-send-compliant-sms.md, its OpenAPI)",
  ],
  settings: {
    url: "https://iqsms.airtel.in/api/v1/send-sms",
    headers: { authorization: "Basic {secret.basic}" },
    body: {
      customerId: "{secret.customer_id}",
      destinationAddress: ["{to_digits}"],
      message: "{text}",
      sourceAddress: "{sender}",
      messageType: "SERVICE_IMPLICIT",
      dltTemplateId: "{dlt_template}",
      entityId: "{dlt_entity}",
      metaData: { ref: "{ref}" },
    },
    operations: ["sms", "otp"],
    rejected: [{ status: 200, body: '"errorMessage"\\s*:\\s*"[^"]' }, { status: [400, 404, 413, 422] }],
    accepted: [{ status: "2xx", body: '"messageRequestId"\\s*:\\s*"[^"]' }],
    id: { json: "messageRequestId" },
  },
  secrets: { customer_id: "The customer's id.", basic: "Base64 of “user:password”." },
};

/** The reference stands in the address that each message's receipts go to. */
export const plivo: Preset = {
  title: "Plivo",
  sources: ["https://www.plivo.com/docs/messaging/api/messages/", "https://www.npmjs.com/package/plivo (4.79: dlt_*)"],
  settings: {
    url: "https://api.plivo.com/v1/Account/{secret.auth_id}/Message/",
    headers: { authorization: "Basic {secret.basic}" },
    body: {
      src: "{sender}",
      dst: "{to_digits}",
      text: "{text}",
      url: "{callback_url}?ref={ref}",
      method: "POST",
      dlt_entity_id: "{dlt_entity}",
      dlt_template_id: "{dlt_template}",
      dlt_template_category: "{dlt_category}",
    },
    accepted: [{ status: "2xx", body: '"message_uuid"\\s*:' }],
    id: { json: "message_uuid.0" },
    receipt: {
      ref: "ref",
      state: "Status",
      states: {
        queued: "submitted",
        sent: "submitted",
        delivered: "delivered",
        undelivered: "undelivered",
        failed: "failed",
      },
      code: "ErrorCode",
    },
  },
  secrets: { auth_id: "The auth id.", basic: "Base64 of “auth id:auth token”." },
};
