import { afterEach, describe, expect, it, vi } from "vitest";
import type { Outgoing } from "../../src/carriers/carrier.ts";
import type { CarrierIds } from "../../src/carriers/ids.ts";
import { PRESETS } from "../../src/carriers/presets.ts";
import type { Preset } from "../../src/carriers/template/preset.ts";
import { CALLBACK_URL, TOKEN, carrierOf, faultOf } from "./suite-template.ts";

// Each description against a gateway that answers as the carrier's documents show.

const MESSAGE: Outgoing = {
  ref: "msg_1a2b",
  operation: "sms",
  to: "+919876543210",
  attempt: 1,
  mode: "live",
  text: "नमस्ते & welcome",
  content: { sender: "DASTAK" },
  audioUrl: null,
  dlt: { entityId: "1101234567890", templateId: "1107234567890123456", category: "service_implicit" },
};

interface Case {
  /** What the gateway must find: where it was asked, and its fields, flat. */
  address: string;
  fields: Record<string, unknown>;
  headers?: Record<string, string>;
  taken: () => Response;
  id: string;
  refused: () => Response;
  notNow: () => Response;
  /** A receipt of delivery; null where the carrier documents none. */
  receipt: (() => Request) | null;
}

const text =
  (body: string, status = 200) =>
  () =>
    new Response(body, { status });
const json =
  (body: unknown, status = 200) =>
  () =>
    Response.json(body, { status });
const form =
  (fields: Record<string, string>, more = "") =>
  () =>
    new Request(`${CALLBACK_URL}${more}`, { method: "POST", body: new URLSearchParams(fields) });
const posted = (body: unknown) => () =>
  new Request(CALLBACK_URL, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });

const BASIC = { authorization: "Basic s-basic" };
const { text: TEXT, dlt } = MESSAGE;

const CASES: Record<keyof typeof PRESETS, Case> = {
  msg91: {
    address: "https://control.msg91.com/api/sendhttp.php",
    fields: {
      authkey: "s-authkey",
      mobiles: "919876543210",
      message: TEXT,
      sender: "DASTAK",
      unicode: "1",
      flash: "0",
      DLT_TE_ID: dlt?.templateId,
    },
    taken: json({ message: "5134842646923e183d000075", type: "success" }),
    id: "5134842646923e183d000075",
    refused: json({ message: "Please provide valid mobile no", type: "error" }),
    notNow: text("", 503),
    receipt: posted({ requestId: "5134842646923e183d000075", number: "919876543210", status: "1", desc: "DELIVERED" }),
  },
  fast2sms: {
    address: "https://www.fast2sms.com/dev/bulkV2",
    headers: { authorization: "s-api_key" },
    fields: {
      route: "dlt_manual",
      numbers: "9876543210",
      message: TEXT,
      sender_id: "DASTAK",
      entity_id: dlt?.entityId,
      template_id: dlt?.templateId,
    },
    taken: json({ return: true, request_id: "lwdtp7cjyqxvfe9", message: ["SMS sent successfully."] }),
    id: "lwdtp7cjyqxvfe9",
    refused: json({ return: false, status_code: 411, message: "Invalid Numbers" }, 400),
    notNow: json({ return: false, status_code: 412, message: "Invalid Authentication" }, 401),
    receipt: posted({ request_id: "lwdtp7cjyqxvfe9", status: "delivered" }),
  },
  exotel: {
    address: "https://api.in.exotel.com/v1/Accounts/s-account_sid/Sms/send.json",
    headers: BASIC,
    fields: {
      From: "DASTAK",
      To: "+919876543210",
      Body: TEXT,
      DltEntityId: dlt?.entityId,
      DltTemplateId: dlt?.templateId,
      CustomField: MESSAGE.ref,
      StatusCallback: CALLBACK_URL,
    },
    taken: json({ SMSMessage: { Sid: "0f477d60517e6e6a0f6d9a7e9af8630e", Status: "queued" } }),
    id: "0f477d60517e6e6a0f6d9a7e9af8630e",
    refused: json({ RestException: { Status: 400, Message: "Bad or missing parameters" } }, 400),
    notNow: json({ RestException: { Status: 402, Message: "Payment required" } }, 402),
    receipt: form({ SmsSid: "0f47", Status: "sent", DetailedStatusCode: "20005", CustomField: MESSAGE.ref }),
  },
  gupshup: {
    address: "https://enterprise.smsgupshup.com/GatewayAPI/rest",
    fields: {
      method: "SendMessage",
      userid: "s-userid",
      password: "s-password",
      send_to: "919876543210",
      msg: TEXT,
      mask: "DASTAK",
      principalEntityId: dlt?.entityId,
      dltTemplateId: dlt?.templateId,
    },
    taken: text("success | 919876543210 | 3562707498794989059-328736121207676738\n"),
    id: "3562707498794989059-328736121207676738",
    refused: text("error | 105 | The phone number is not a valid phone number"),
    notNow: text("error | 102 | Authentication failed due to invalid userId or password"),
    receipt: () =>
      new Request(
        `${CALLBACK_URL}?externalId=3562707498794989059-328736121207676738&status=SUCCESS&errCode=000&noOfFrags=1`,
      ),
  },
  airtel: {
    address: "https://iqsms.airtel.in/api/v1/send-sms",
    headers: BASIC,
    fields: {
      customerId: "s-customer_id",
      destinationAddress: ["919876543210"],
      message: TEXT,
      sourceAddress: "DASTAK",
      entityId: dlt?.entityId,
      dltTemplateId: dlt?.templateId,
    },
    taken: json({ messageRequestId: "a1b2", incorrectNum: [], errorMessage: null }),
    id: "a1b2",
    refused: json({ messageRequestId: "a1b2", errorMessage: "Template mismatch" }),
    notNow: text("", 503),
    receipt: null,
  },
  textlocal: {
    address: "https://api.textlocal.in/send/",
    fields: {
      apikey: "s-api_key",
      numbers: "919876543210",
      sender: "DASTAK",
      message: TEXT,
      unicode: "1",
      custom: MESSAGE.ref,
      receipt_url: CALLBACK_URL,
    },
    taken: json({ status: "success", messages: [{ id: "1151346216", recipient: 919_876_543_210 }] }),
    id: "1151346216",
    refused: json({ status: "failure", errors: [{ code: 51, message: "No valid numbers specified" }] }),
    notNow: json({ status: "failure", errors: [{ code: 7, message: "Insufficient credits" }] }),
    receipt: form({ number: "919876543210", status: "D", customID: MESSAGE.ref, datetime: "2026-11-22 10:00:00" }),
  },
  "2factor": {
    address: "https://2factor.in/API/R1/",
    fields: {
      module: "TRANS_SMS",
      apikey: "s-api_key",
      to: "9876543210",
      from: "DASTAK",
      msg: TEXT,
      peid: dlt?.entityId,
      ctid: dlt?.templateId,
    },
    taken: json({ Status: "Success", Details: "cab66fcc-b7ee-49b2-a55d-6e74551109b2" }),
    id: "cab66fcc-b7ee-49b2-a55d-6e74551109b2",
    refused: json({ Status: "Error", Details: "Invalid Phone Number" }),
    notNow: text("", 429),
    receipt: form({
      SessionId: "cab66fcc-b7ee-49b2-a55d-6e74551109b2",
      SmsTo: "9876543210",
      SmsStatus: "DELIVERED",
      ErrorId: "0",
    }),
  },
  plivo: {
    address: "https://api.plivo.com/v1/Account/s-auth_id/Message/",
    headers: BASIC,
    fields: {
      src: "DASTAK",
      dst: "919876543210",
      text: TEXT,
      url: `${CALLBACK_URL}?ref=${MESSAGE.ref}`,
      dlt_entity_id: dlt?.entityId,
      dlt_template_id: dlt?.templateId,
      dlt_template_category: "service_implicit",
    },
    taken: json(
      { message: "message(s) queued", message_uuid: ["db3ce55a-7f1d-11e1-8ea7-1231380bc196"], api_id: "x" },
      202,
    ),
    id: "db3ce55a-7f1d-11e1-8ea7-1231380bc196",
    refused: json({ error: "dst parameter is invalid" }, 400),
    notNow: text("Could not verify your access level for that URL.", 401),
    receipt: form({ MessageUUID: "db3c", Status: "delivered", ErrorCode: "000" }, `?ref=${MESSAGE.ref}`),
  },
  vonage: {
    address: "https://rest.nexmo.com/sms/json",
    fields: {
      api_key: "s-api_key",
      api_secret: "s-api_secret",
      from: "DASTAK",
      to: "919876543210",
      text: TEXT,
      type: "unicode",
      "client-ref": MESSAGE.ref,
      callback: CALLBACK_URL,
      "entity-id": dlt?.entityId,
      "content-id": dlt?.templateId,
    },
    taken: json({
      "message-count": "1",
      messages: [{ to: "919876543210", "message-id": "0A0000000123ABCD1", status: "0" }],
    }),
    id: "0A0000000123ABCD1",
    refused: json({ "message-count": "1", messages: [{ status: "3", "error-text": "Invalid to" }] }),
    notNow: json({ "message-count": "1", messages: [{ status: "9", "error-text": "Quota exceeded" }] }),
    receipt: form({ "message-id": "0A00", status: "delivered", "err-code": "0", "client-ref": MESSAGE.ref }),
  },
};

afterEach(() => {
  vi.restoreAllMocks();
});

const secretsOf = ({ secrets }: Preset) => Object.fromEntries(Object.keys(secrets).map((name) => [name, `s-${name}`]));

/** Submits by a description; the gateway sees `asked`. */
async function submitted(preset: Preset, answer: () => Response) {
  let asked: Request | null = null;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init = {}) => {
    const { method = "GET", headers = {} } = init;
    const body = await new Response(init.body ?? null).text();
    asked = new Request(input, { method, headers, ...(method === "POST" && { body }) });
    return answer();
  });
  const known = new Map<string, string>();
  const ids: CarrierIds = {
    note: async (id, ref) => void known.set(id, ref),
    find: async (id) => known.get(id) ?? null,
  };
  const carrier = carrierOf(preset.settings, secretsOf(preset), ids);
  let id: string | null = null;
  const outcome = await carrier.submit(MESSAGE, (seen) => {
    id = seen.carrierId;
  });
  return { outcome, id: id as string | null, asked: asked as Request | null, carrier };
}

describe.each(Object.entries(CASES))("the description %s", (name, one) => {
  const preset: Preset = PRESETS[name as keyof typeof PRESETS];

  it("has no fault with its secrets, needs each of them, and names its sources", () => {
    const secrets = secretsOf(preset);
    expect(faultOf(preset.settings, secrets)).toBeNull();
    for (const secret of Object.keys(secrets)) {
      const { [secret]: _, ...others } = secrets;
      expect(faultOf(preset.settings, others)).toBe(`secrets.${secret}`);
    }
    expect(preset.sources.length).toBeGreaterThan(0);
  });

  it("asks as the documents say", async () => {
    const { outcome, id, asked } = await submitted(preset, one.taken);
    expect(outcome).toEqual({ kind: "submitted" });
    expect(id).toBe(one.id);
    expect(asked?.url).toBe(one.address);
    expect(Object.fromEntries(asked?.headers ?? [])).toMatchObject(one.headers ?? {});
    const body = (await asked?.text()) ?? "";
    const isJson = asked?.headers.get("content-type") === "application/json";
    const fields: unknown = isJson ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
    expect(fields).toMatchObject(one.fields);
  });

  it("understands what refuses the message, and what does not take it now", async () => {
    expect((await submitted(preset, one.refused)).outcome).toMatchObject({ kind: "rejected" });
    expect((await submitted(preset, one.notNow)).outcome).toMatchObject({ kind: "not_accepted" });
    expect((await submitted(preset, text("<html>"))).outcome).toMatchObject({ kind: "unknown" });
  });

  it("reads its receipts", async () => {
    const { carrier } = await submitted(preset, one.taken);
    expect(carrier.receipts === undefined).toBe(one.receipt === null);
    if (!one.receipt) return;
    const read = await carrier.receipts?.(one.receipt(), TOKEN);
    expect(read).toEqual([expect.objectContaining({ ref: MESSAGE.ref, state: "delivered" })]);
  });
});
