import { createHmac } from "node:crypto";
import { callbackToken } from "../../src/carriers/callback-token.ts";
import { infobip } from "../../src/carriers/infobip.ts";
import { kannel } from "../../src/carriers/kannel.ts";
import { twilio } from "../../src/carriers/twilio.ts";
import type { ReceiptState } from "../../src/model/message.ts";
import { carrierOf, TOKEN } from "../world/http-gateway.ts";
import { SUITE_CONFIG } from "./suite.ts";
import type { Got, KindUnderTest } from "./suite.ts";

// The kinds of a relay's and of providers' own protocols, each with a gateway that speaks it.

type Forged = "unproved" | "wrong" | undefined;

const proved = (forged: Forged) =>
  forged === undefined ? TOKEN : forged === "wrong" ? callbackToken(SUITE_CONFIG.KEY_SECRET, "other") : null;

const relay = () =>
  carrierOf(
    kannel,
    "kannel",
    { url: "http://gateway.test/cgi-bin/sendsms", username: "dastak" },
    { password: "pa&ss" },
    SUITE_CONFIG,
  );

/** A field of Kannel's `meta-data`, which is a query of its own behind the group's name. */
const metaOf = (query: URLSearchParams, name: string): string | null =>
  new URLSearchParams((query.get("meta-data") ?? "").replace("?smpp?", "")).get(name);

const REPORTS: Record<ReceiptState, string> = { submitted: "8", delivered: "1", undelivered: "2", failed: "16" };

const reportOf = (ref: string, state: string, forged?: Forged) => ({
  request: new Request(`${relay().callbackUrl}?ref=${encodeURIComponent(ref)}&state=${state}&id=1&reply=`),
  token: proved(forged),
});

/** A relay, that is asked by GET. */
export const KANNEL: KindUnderTest = {
  title: "kannel",
  carrier: () => relay().carrier,
  read: async (request) => {
    const query = new URL(request.url).searchParams;
    return {
      ref: new URL(query.get("dlr-url") ?? "").searchParams.get("ref"),
      to: `+${query.get("to")}`,
      text: query.get("text"),
      sender: query.get("from"),
      flash: query.get("mclass") === "0",
      dltEntity: metaOf(query, "pe_id"),
      dltTemplate: metaOf(query, "template_id"),
    };
  },
  taken: () => new Response("0: Accepted for delivery", { status: 202 }),
  refused: () => new Response("Bad request", { status: 400 }),
  busy: (headers = {}) => new Response("Temporal failure, try again later.", { status: 503, headers }),
  ownTrouble: () => new Response("Authorization failed for sendsms", { status: 403 }),
  // Its status says all, and its body is not read.
  tooLong: "submitted",
  isSureNotConnected: false,
  receipt: (ref, state, forged) => reportOf(ref, REPORTS[state], forged),
  unknownWord: (ref) => reportOf(ref, "3"),
};

const AUTH_TOKEN = "of this suite";

const account = () =>
  carrierOf(
    twilio,
    "twilio",
    {
      account_sid: `AC${"0a".repeat(16)}`,
      messaging_service_sid: `MG${"0b".repeat(16)}`,
      api_url: "http://gateway.test",
    },
    { auth_token: AUTH_TOKEN },
    SUITE_CONFIG,
  );

function callbackOf(ref: string, status: string, forged?: Forged) {
  const url = `${account().callbackUrl}?ref=${encodeURIComponent(ref)}`;
  const fields = { MessageSid: "SM1", MessageStatus: status };
  const text = url + Object.entries(fields).flat().join("");
  const key = forged === "wrong" ? "another" : AUTH_TOKEN;
  const signature = createHmac("sha1", key).update(text).digest("base64");
  const headers = new Headers(forged === "unproved" ? {} : { "x-twilio-signature": signature });
  return { request: new Request(url, { method: "POST", body: new URLSearchParams(fields), headers }), token: null };
}

/** An account at Twilio, whose callbacks are signed. */
export const TWILIO: KindUnderTest = {
  title: "twilio",
  carrier: () => account().carrier,
  read: async (request) => {
    const form = new URLSearchParams(await request.text());
    return {
      ref: new URL(form.get("StatusCallback") ?? "").searchParams.get("ref"),
      to: form.get("To") ?? "",
      text: form.get("Body"),
      sender: form.get("From"),
      flash: null,
      dltEntity: null,
      dltTemplate: null,
    };
  },
  taken: () => Response.json({ sid: "SM1", status: "queued" }, { status: 201 }),
  refused: () => Response.json({ code: 21211, message: "Invalid 'To' Phone Number" }, { status: 400 }),
  busy: (headers = {}) => Response.json({ code: 20429 }, { status: 429, headers }),
  ownTrouble: () => Response.json({ code: 20003 }, { status: 401 }),
  tooLong: "submitted",
  isWithoutDlt: true,
  isSureNotConnected: true,
  receipt: (ref, state, forged) => callbackOf(ref, state === "submitted" ? "sent" : state, forged),
  unknownWord: (ref) => callbackOf(ref, "seen"),
};

const portal = () =>
  carrierOf(infobip, "infobip", { base_url: "http://gateway.test" }, { api_key: "key" }, SUITE_CONFIG);

const infobipAnswer = (groupId: number, name: string) =>
  Response.json({ messages: [{ messageId: "msg_1a2b3c", status: { groupId, name, id: 26 } }] });

/** Group and id of a status, as reports have them. */
const STATUSES: Record<ReceiptState, [number, number]> = {
  submitted: [1, 7],
  delivered: [3, 5],
  undelivered: [2, 9],
  failed: [5, 12],
};

function reportsOf(ref: string, [groupId, id]: readonly [number, number], forged?: Forged) {
  const results = [{ messageId: ref, to: "919876543210", status: { groupId, id, name: "NAME" } }];
  const body = JSON.stringify({ results });
  return { request: new Request(portal().callbackUrl, { method: "POST", body }), token: proved(forged) };
}

interface Sent {
  messages: [
    {
      sender?: string;
      destinations: [{ to: string; messageId: string }];
      content: { text: string };
      options?: {
        flash?: boolean;
        regional?: { indiaDlt: { principalEntityId: string; contentTemplateId?: string } };
      };
    },
  ];
}

/** An account at Infobip. */
export const INFOBIP: KindUnderTest = {
  title: "infobip",
  carrier: () => portal().carrier,
  read: async (request): Promise<Got> => {
    const [{ sender, destinations, content, options }] = (await request.json<Sent>()).messages;
    const dlt = options?.regional?.indiaDlt;
    return {
      ref: destinations[0].messageId,
      to: `+${destinations[0].to}`,
      text: content.text,
      sender: sender ?? null,
      flash: options?.flash ?? false,
      dltEntity: dlt?.principalEntityId ?? null,
      dltTemplate: dlt?.contentTemplateId ?? null,
    };
  },
  taken: () => infobipAnswer(1, "PENDING_ACCEPTED"),
  refused: () => infobipAnswer(5, "REJECTED_DESTINATION"),
  busy: (headers = {}) => new Response("{}", { status: 429, headers }),
  ownTrouble: () => infobipAnswer(5, "REJECTED_NOT_ENOUGH_CREDITS"),
  tooLong: "unknown",
  isSureNotConnected: true,
  receipt: (ref, state, forged) => reportsOf(ref, STATUSES[state], forged),
  unknownWord: (ref) => reportsOf(ref, [77, 1]),
};
