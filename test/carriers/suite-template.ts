import { createHmac } from "node:crypto";
import { env } from "cloudflare:workers";
import type * as z from "zod";
import { callbackToken } from "../../src/carriers/callback-token.ts";
import type { Carrier, Outgoing } from "../../src/carriers/carrier.ts";
import type { CarrierIds } from "../../src/carriers/ids.ts";
import { anyKind } from "../../src/carriers/kind.ts";
import { template } from "../../src/carriers/template.ts";
import { templateSettings } from "../../src/carriers/template/settings.ts";
import type { CarrierSecrets } from "../../src/model/carrier/carrier.ts";
import type { ReceiptState } from "../../src/model/message.ts";
import { SUITE_CONFIG } from "./suite.ts";
import type { KindUnderTest } from "./suite.ts";

export type Given = z.input<typeof templateSettings>;

export const TOKEN = callbackToken(SUITE_CONFIG.KEY_SECRET, "shop");
export const CALLBACK_URL = `http://console.localhost/callbacks/shop/${TOKEN}`;

/** An SMS for a described carrier. */
export const MESSAGE: Outgoing = {
  ref: "msg_1",
  operation: "sms",
  to: "+919876543210",
  attempt: 1,
  mode: "live",
  text: "Hello",
  content: {},
  audioUrl: null,
};

/** What is wrong with settings and secrets: the kind's own fault, or the path of the schema's first issue. */
export function faultOf(given: unknown, secrets: CarrierSecrets = {}): string | null {
  const read = templateSettings.safeParse(given);
  if (!read.success) return (read.error.issues[0]?.path ?? []).join(".");
  return template.fault?.(read.data, secrets)?.param ?? null;
}

/** A carrier named `shop` of these settings, which must be without a fault. */
export function carrierOf(given: Given, secrets: CarrierSecrets = {}, ids?: CarrierIds): Carrier {
  const fault = faultOf(given, secrets);
  if (fault !== null) throw new Error(`A fault at ${fault}`);
  const setup = {
    name: "shop",
    kind: "template",
    settings: templateSettings.parse(given),
    secrets,
    tps: null,
  } as const;
  const made = anyKind(template).carrier(setup, { config: SUITE_CONFIG, env, callbackUrl: CALLBACK_URL, ids });
  if (!made) throw new Error("settings without a fault are none of their kind");
  return made;
}

const RECEIPT = {
  ref: "ref",
  state: "dlr.status",
  states: { ACK: "submitted", DELIVRD: "delivered", UNDELIV: "undelivered", REJECTD: "failed" },
  code: "dlr.err",
} as const;

const WORDS: Record<ReceiptState, string> = {
  submitted: "ack",
  delivered: "delivrd",
  undelivered: "undeliv",
  failed: "rejectd",
};

const FIELDS = {
  ref: "{ref}",
  to: "{to}",
  text: "{text}",
  from: "{sender}",
  flash: "{flash}",
  pe: "{dlt_entity}",
  te: "{dlt_template}",
};

type Fields = Partial<Record<keyof typeof FIELDS, string>>;

const got = ({ ref, to, text, from, flash, pe, te }: Fields) => ({
  ref: ref ?? null,
  to: to ?? "",
  text: text ?? null,
  sender: from ?? null,
  flash: flash === "1",
  dltEntity: pe ?? null,
  dltTemplate: te ?? null,
});

const proved = (forged: "unproved" | "wrong" | undefined) =>
  forged === undefined ? TOKEN : forged === "wrong" ? callbackToken(SUITE_CONFIG.KEY_SECRET, "other") : null;

const answers = {
  taken: () => Response.json({ status: "ok", id: "4711" }),
  refused: () => Response.json({ status: "bad number" }, { status: 200 }),
  busy: (headers: Record<string, string> = {}) => new Response("busy", { status: 503, headers }),
  ownTrouble: () => new Response("no credit", { status: 402 }),
  tooLong: "unknown",
} as const;

const RULES: Partial<Given> = {
  rejected: [{ json: { status: "bad number" } }, { status: [400, 404] }],
  accepted: [{ status: "2xx", json: { status: "ok" } }],
  id: { json: "id" },
};

/** By POST of JSON, with receipts in JSON, signed and with the token. */
export const TEMPLATE_JSON: KindUnderTest = {
  ...answers,
  title: "template (JSON)",
  carrier: () =>
    carrierOf(
      {
        ...RULES,
        url: "http://gateway.test/send",
        body: { messages: [FIELDS] },
        receipt: { ...RECEIPT, hmac: { header: "x-sign", encoding: "base64" } },
      },
      { hmac_key: "of receipts" },
    ),
  read: async (request) => got((await request.json<{ messages: [Fields] }>()).messages[0]),
  isSureNotConnected: true,
  receipt: (ref, state, forged) => {
    const body = JSON.stringify({ ref, dlr: { status: WORDS[state], err: 0 } });
    const sign = createHmac("sha256", "of receipts").update(body).digest("base64");
    const headers = { "content-type": "application/json", "x-sign": sign };
    return { request: new Request(CALLBACK_URL, { method: "POST", body, headers }), token: proved(forged) };
  },
  unknownWord: (ref) => {
    const body = JSON.stringify({ ref, dlr: { status: "SEEN" } });
    const headers = { "x-sign": createHmac("sha256", "of receipts").update(body).digest("base64") };
    return { request: new Request(CALLBACK_URL, { method: "POST", body, headers }), token: TOKEN };
  },
};

const FORM_RECEIPT = { ...RECEIPT, state: "status", code: "err" };

/** By POST of a form, with receipts as forms. */
export const TEMPLATE_FORM: KindUnderTest = {
  ...answers,
  title: "template (form)",
  carrier: () =>
    carrierOf({ ...RULES, url: "http://gateway.test/send", body_type: "form", body: FIELDS, receipt: FORM_RECEIPT }),
  read: async (request) => got(Object.fromEntries(new URLSearchParams(await request.text()))),
  isSureNotConnected: true,
  receipt: (ref, state, forged) => {
    const body = new URLSearchParams({ ref, status: WORDS[state] });
    return { request: new Request(CALLBACK_URL, { method: "POST", body }), token: proved(forged) };
  },
  unknownWord: (ref) => {
    const body = new URLSearchParams({ ref, status: "SEEN" });
    return { request: new Request(CALLBACK_URL, { method: "POST", body }), token: TOKEN };
  },
};

/** By GET, with receipts by GET. Whether a GET left is not known where there was no connection. */
export const TEMPLATE_GET: KindUnderTest = {
  ...answers,
  title: "template (GET)",
  carrier: () =>
    carrierOf({
      ...RULES,
      url: "http://gateway.test/send?v=2",
      method: "GET",
      query: FIELDS,
      receipt: FORM_RECEIPT,
    }),
  read: async (request) => got(Object.fromEntries(new URL(request.url).searchParams)),
  isSureNotConnected: false,
  receipt: (ref, state, forged) => {
    const asked = new URLSearchParams({ ref, status: WORDS[state] });
    return { request: new Request(`${CALLBACK_URL}?${asked.toString()}`), token: proved(forged) };
  },
  unknownWord: (ref) => ({ request: new Request(`${CALLBACK_URL}?ref=${ref}&status=SEEN`), token: TOKEN }),
};
