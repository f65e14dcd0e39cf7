import type { Preset } from "./preset.ts";

// Carriers that take forms (presets.ts).

/**
 * The text and template id by the older sendhttp; the newer "flow" keeps texts at MSG91. Receipts: its panel's webhook,
 * version 3, to the callback address.
 */
export const msg91: Preset = {
  title: "MSG91",
  sources: [
    "https://github.com/tesark/msg91-php (MSG91DOC.md: sendhttp.php)",
    "https://github.com/MSG91/MSG91-node (DLT_TE_ID)",
    "https://msg91.com/help/webhooks/how-can-i-get-the-delivery-reports-on-my-webhook-url",
  ],
  settings: {
    url: "https://control.msg91.com/api/sendhttp.php",
    body_type: "form",
    body: {
      authkey: "{secret.authkey}",
      mobiles: "{to_digits}",
      message: "{text}",
      sender: "{sender}",
      route: "4",
      country: "0",
      flash: "{flash}",
      unicode: "{unicode}",
      DLT_TE_ID: "{dlt_template}",
      response: "json",
    },
    rejected: [{ status: "2xx", json: { type: "error" } }, { status: [400, 404, 413, 422] }],
    accepted: [{ status: "2xx", json: { type: "success" } }],
    id: { json: "message" },
    receipt: {
      id: "requestId",
      state: "status",
      states: { 1: "delivered", 2: "undelivered", 9: "failed", 16: "failed", 17: "failed", 25: "failed" },
      code: "desc",
    },
  },
  secrets: { authkey: "The authentication key of the panel." },
};

/** The account's SID stands in the address as a secret; the address is that of the cluster in Mumbai. */
export const exotel: Preset = {
  title: "Exotel",
  sources: [
    "https://developer.exotel.com/docs/sms-api/api-reference/send-sms",
    "https://developer.exotel.com/api-console/send-sms-api-console (StatusCallback)",
  ],
  settings: {
    url: "https://api.in.exotel.com/v1/Accounts/{secret.account_sid}/Sms/send.json",
    headers: { authorization: "Basic {secret.basic}" },
    body_type: "form",
    body: {
      From: "{sender}",
      To: "{to}",
      Body: "{text}",
      EncodingType: "unicode",
      DltEntityId: "{dlt_entity}",
      DltTemplateId: "{dlt_template}",
      StatusCallback: "{callback_url}",
      CustomField: "{ref}",
    },
    accepted: [{ status: "2xx", body: '"Sid"\\s*:' }],
    id: { json: "SMSMessage.Sid" },
    receipt: {
      ref: "CustomField",
      state: "Status",
      states: {
        queued: "submitted",
        sending: "submitted",
        submitted: "submitted",
        sent: "delivered",
        failed: "undelivered",
        failed_dnd: "failed",
        "failed-dnd": "failed",
      },
      code: "DetailedStatusCode",
    },
  },
  secrets: { account_sid: "The account's SID.", basic: "Base64 of “api key:api token”." },
};

/**
 * Receipts: the GET of "Realtime Delivery URL" in its settings, to the callback address. Its POST sends several events in
 * one list, which a description cannot read.
 */
export const gupshup: Preset = {
  title: "Gupshup (enterprise SMS)",
  sources: [
    "https://docs.gupshup.io/docs/send-message-to-single-number",
    "https://docs.gupshup.io/docs/real-time-delivery-reports",
  ],
  settings: {
    url: "https://enterprise.smsgupshup.com/GatewayAPI/rest",
    body_type: "form",
    body: {
      method: "SendMessage",
      userid: "{secret.userid}",
      password: "{secret.password}",
      auth_scheme: "plain",
      v: "1.1",
      format: "text",
      send_to: "{to_digits}",
      msg: "{text}",
      msg_type: "Unicode_text",
      mask: "{sender}",
      principalEntityId: "{dlt_entity}",
      dltTemplateId: "{dlt_template}",
    },
    // 102 is a wrong user or password: nothing that is wrong with the message.
    busy: [{ status: [429, 503] }, { body: "^error \\| 102 \\|" }],
    rejected: [{ status: "2xx", body: "^error \\|" }, { status: [400, 404, 413, 422] }],
    accepted: [{ status: "2xx", body: "^success \\|" }],
    id: { body: "^success \\| [0-9]+ \\| (\\S+)" },
    receipt: {
      id: "externalId",
      state: "status",
      states: { success: "delivered", delivered: "delivered", fail: "undelivered", failed: "undelivered" },
      code: "errCode",
    },
  },
  secrets: { userid: "The account's number.", password: "Its password." },
};

/** Textlocal, and the many panels with its API. Errors 3 and 7 are of the account: a wrong key, no credit. */
export const textlocal: Preset = {
  title: "Textlocal",
  sources: ["https://api.txtlocal.com/docs/sendsms", "https://api.txtlocal.com/docs/handlingreceipts"],
  settings: {
    url: "https://api.textlocal.in/send/",
    body_type: "form",
    body: {
      apikey: "{secret.api_key}",
      numbers: "{to_digits}",
      sender: "{sender}",
      message: "{text}",
      unicode: "{unicode}",
      custom: "{ref}",
      receipt_url: "{callback_url}",
    },
    busy: [{ status: [429, 503] }, { json: { "errors.0.code": ["3", "7"] } }],
    rejected: [{ status: "2xx", json: { status: "failure" } }, { status: [400, 404, 413, 422] }],
    accepted: [{ status: "2xx", json: { status: "success" } }],
    id: { json: "messages.0.id" },
    receipt: {
      ref: "customID",
      state: "status",
      states: { D: "delivered", U: "undelivered", I: "failed", "?": "submitted" },
    },
  },
  secrets: { api_key: "The API key of the settings." },
};

/** Receipts: the callback address in its panel. */
export const twoFactor: Preset = {
  title: "2Factor",
  sources: [
    "https://documenter.gw.postman.com/api/collections/301893/TWDamFGh (2Factor API Documentation)",
    "https://dial2verify.com/corp/support-system/tkt/knowledgebase.php?article=14 (delivery reports)",
  ],
  settings: {
    url: "https://2factor.in/API/R1/",
    body_type: "form",
    body: {
      module: "TRANS_SMS",
      apikey: "{secret.api_key}",
      to: "{to10}",
      from: "{sender}",
      msg: "{text}",
      peid: "{dlt_entity}",
      ctid: "{dlt_template}",
    },
    operations: ["sms", "otp"],
    rejected: [{ status: "2xx", json: { Status: "Error" } }, { status: [400, 404, 413, 422] }],
    accepted: [{ status: "2xx", json: { Status: "Success" } }],
    id: { json: "Details" },
    receipt: {
      id: "SessionId",
      state: "SmsStatus",
      states: {
        DELIVERED: "delivered",
        UNDELIVERABLE: "undelivered",
        FAILED: "undelivered",
        REJECTED: "failed",
        EXPIRED: "undelivered",
        PENDING: "submitted",
      },
      code: "ErrorId",
    },
  },
  secrets: { api_key: "The account's API key." },
};

/** It answers 200 to everything: 1 is throttling; 4 and 9 are of the account, a wrong key and no credit. */
export const vonage: Preset = {
  title: "Vonage",
  sources: [
    "https://developer.vonage.com/messaging/sms/building-blocks/receive-a-delivery-receipt",
    "https://www.npmjs.com/package/@vonage/sms (1.24: entity-id, content-id, statuses)",
  ],
  settings: {
    url: "https://rest.nexmo.com/sms/json",
    body_type: "form",
    body: {
      api_key: "{secret.api_key}",
      api_secret: "{secret.api_secret}",
      from: "{sender}",
      to: "{to_digits}",
      text: "{text}",
      type: "unicode",
      "client-ref": "{ref}",
      callback: "{callback_url}",
      "entity-id": "{dlt_entity}",
      "content-id": "{dlt_template}",
    },
    busy: [{ status: [429, 503] }, { json: { "messages.0.status": ["1", "4", "9"] } }],
    rejected: [
      {
        json: {
          "messages.0.status": ["2", "3", "6", "7", "8", "11", "12", "14", "15", "22", "23", "29", "33"],
        },
      },
      { status: [400, 404, 413, 422] },
    ],
    accepted: [{ status: "2xx", json: { "messages.0.status": "0" } }],
    id: { json: "messages.0.message-id" },
    receipt: {
      ref: "client-ref",
      state: "status",
      states: {
        accepted: "submitted",
        buffered: "submitted",
        unknown: "submitted",
        delivered: "delivered",
        expired: "undelivered",
        failed: "undelivered",
        rejected: "failed",
      },
      code: "err-code",
    },
  },
  secrets: { api_key: "The API key.", api_secret: "The API secret." },
};
