import { describe, expect, it } from "vitest";
import { templateSettings } from "../../../src/carriers/template/settings.ts";
import { faultOf } from "../suite-template.ts";

const URL_ONLY = { url: "http://gateway.test/send" };
const RECEIPT = { ref: "ref", state: "status", states: { OK: "delivered" } };

describe("settings", () => {
  it("need no more than an address", () => {
    expect(templateSettings.parse(URL_ONLY)).toEqual({
      ...URL_ONLY,
      method: "POST",
      query: {},
      headers: {},
      body_type: "json",
      operations: ["sms", "sms_international", "otp"],
      busy: [{ status: [429, 503] }],
      accepted: [{ status: "2xx" }],
    });
    expect(faultOf(URL_ONLY)).toBeNull();
  });

  it.each<[string, object]>([
    ["", { urll: "x" }],
    ["url", { url: "ftp://gateway.test/" }],
    ["url", { url: "http://{secret.host}/" }],
    ["url", { url: "http://gateway{to}.test/" }],
    ["url", { url: "http://user:pass@gateway.test/" }],
    ["url", { url: "http://gateway.test/#x" }],
    ["url", { url: "http://gateway.test\\@elsewhere.test/" }],
    ["method", { method: "PUT" }],
    ["headers.a b", { headers: { "a b": "x" } }],
    ["headers.Host", { headers: { Host: "x" } }],
    ["operations.0", { operations: ["tts"] }],
    ["operations", { operations: [] }],
    ["accepted.0", { accepted: [{}] }],
    ["accepted.0", { accepted: [{ statuss: 200 }] }],
    ["accepted.0.status", { accepted: [{ status: "6xx" }] }],
    ["busy.0.body", { busy: [{ body: "(a+" }] }],
    ["rejected.0.json.a..b", { rejected: [{ json: { "a..b": "1" } }] }],
    ["rejected.0.json", { rejected: [{ json: {} }] }],
    ["id.body", { id: { body: "no group" } }],
    ["id", { id: { json: "a", header: "b" } }],
    ["receipt.states.OK", { receipt: { ...RECEIPT, states: { OK: "read" } } }],
    ["receipt.states", { receipt: { ...RECEIPT, states: {} } }],
    ["receipt.ref", { receipt: { ...RECEIPT, id: "id" } }],
    ["receipt.ref", { receipt: { state: "status", states: { OK: "delivered" } } }],
    ["receipt.hmac.encoding", { receipt: { ...RECEIPT, hmac: { header: "x", encoding: "utf8" } } }],
    ["settings.body", { method: "GET", body: { a: "1" } }],
    ["settings.body.a", { body_type: "form", body: { a: ["1"] } }],
    ["settings.id", { receipt: { id: "id", state: "status", states: { OK: "delivered" } } }],
    ["settings.receipt.states.ok", { receipt: { ...RECEIPT, states: { OK: "delivered", ok: "failed" } } }],
    ["secrets.hmac_key", { receipt: { ...RECEIPT, hmac: { header: "x-sign", encoding: "hex" } } }],
  ])("are refused at %s: %j", (param, given) => {
    expect(faultOf({ ...URL_ONLY, ...given })).toBe(param);
  });
});
