import { DurableObject, env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { expect, it } from "vitest";
import { newAccountId } from "../../../src/crypto/ids.ts";
import type { Account } from "../../../src/durable/account.ts";
import { isOpened } from "../../../src/durable/migrate.ts";
import { QUOTA, uploadOf } from "../../world/recordings.ts";

// An object whose account was never opened, as a forged or mistyped id names it.

const caller = { keyId: 1, requestId: "req_1" };
const payment = { orderId: "o", paymentRef: "p", creditUnits: 1, plan: "starter" as const };
const refund = { orderId: "o", paymentRef: "p", refundedPaise: 1, amountPaise: 1 };
const upload = uploadOf("f");
const EMPTY_DLT = { entityId: null, enforce: "off" as const, headers: [], templates: [], otp: null };

/** All methods that read or change an account. */
const METHODS: Record<string, (account: Account) => unknown> = {
  balance: (account) => account.balance(caller),
  send: (account) =>
    account.send({
      ...caller,
      operation: "sms",
      recipients: ["+919876543210"],
      price: { kind: "fixed", units: 1 },
      content: {},
      text: null,
      validityMs: 1,
    }),
  sendLater: (account) =>
    account.sendLater({
      ...caller,
      operation: "sms",
      recipients: ["+919876543210"],
      price: { kind: "fixed", units: 1 },
      content: {},
      text: null,
      validityMs: 1,
      sendAtMs: 1,
    }),
  takeBack: (account) => account.takeBack({ seq: 1, index: 0 }),
  schedule: (account) => account.schedule(null, 1),
  sendQuoted: (account) =>
    account.sendQuoted({
      ...caller,
      operation: "sms",
      recipients: ["+919876543210"],
      price: { kind: "fixed", units: 1 },
      content: {},
      text: null,
      validityMs: 1,
      quote: { id: new Uint8Array(16), units: 1, untilMs: 1 },
    }),
  preflight: (account) => account.preflight({ price: { kind: "otp" }, recipients: 1 }),
  dlt: (account) => account.dlt(),
  putDlt: (account) => account.putDlt(EMPTY_DLT),
  replaceDlt: (account) => account.replaceDlt(EMPTY_DLT, null),
  tryDlt: (account) => account.tryDlt({ operation: "sms", text: "Hi" }),
  dltSamples: (account) => account.dltSamples(),
  importDlt: (account) => account.importDlt([]),
  copyDlt: (account) => account.copyDlt({ ...EMPTY_DLT, updatedAt: 1 }),
  beginUpload: (account) => account.beginUpload(caller, upload, QUOTA),
  endUpload: (account) => account.endUpload(caller, upload, true),
  renameRecording: (account) => account.renameRecording("f", "b.wav"),
  removeRecording: (account) => account.removeRecording("f"),
  admitOwn: (account) => account.admitOwn(1, true),
  events: (account) => account.events(0, 1),
  recordings: (account) => account.recordings(null, 1),
  recording: (account) => account.recording("f"),
  work: (account) => account.work({ news: [], follow: false, resubmits: false, claim: null }),
  report: (account) => account.report([], false),
  "report of a receipt": (account) =>
    account.report([{ kind: "receipt", seq: 1, index: 0, state: "delivered" }], false),
  archive: (account) => account.archive(),
  archives: (account) => account.archives(0, 1),
  clearNext: (account) => account.clearNext(null),
  follow: (account) => account.follow([1]),
  rebuildHistory: (account) => account.rebuildHistory(null),
  heal: (account) => account.heal(),
  records: (account) => account.records([1], true),
  recorded: (account) => account.recorded({ jobs: [{ seq: 1, rev: 1 }], profileRev: 1 }),
  "recorded while away": (account) => account.recorded(null),
  view: (account) => account.view(),
  amend: (account) => account.amend({ status: "suspended" }),
  credit: (account) => account.credit({ amount: 1, reference: "r", requestId: "req_1" }),
  settlePayment: (account) => account.settlePayment(payment),
  refundPayment: (account) => account.refundPayment(refund),
  ledger: (account) => account.ledger(0, 1),
  messages: (account) => account.messages({ seq: 0, index: 0 }, 1),
  look: (account) => account.look({ terms: [], direction: "older", from: null, limit: 1 }),
  requestPage: (account) => account.requestPage("req_1", { seq: 1 }, null, 1),
  admitRefused: (account) => account.admitRefused(1, 1, 1),
  rules: (account) => account.rules(),
  setRules: (account) => account.setRules({ dayCap: 1 }),
  setBalanceLow: (account) => account.setBalanceLow(1),
  messageDetail: (account) => account.messageDetail({ seq: 1, index: 0 }),
  endpoints: (account) => account.endpoints(),
  endpoint: (account) => account.endpoint("wh_1"),
  addEndpoint: (account) =>
    account.addEndpoint("wh_1", { url: "https://example.com", types: ["*"], batch: false, description: "" }, 1),
  changeEndpoint: (account) => account.changeEndpoint("wh_1", { state: "disabled" }),
  removeEndpoint: (account) => account.removeEndpoint("wh_1"),
  rotateEndpoint: (account) => account.rotateEndpoint("wh_1", 1, 1),
  replayEvents: (account) => account.replayEvents("wh_1", 1, null),
  noteAttempt: (account) =>
    account.noteAttempt("wh_1", { seq: null, at: 1, status: 200, ms: 1, error: null, answer: "" }),
  claimEvents: (account) => account.claimEvents(),
  claimCallbacks: (account) => account.claimCallbacks(),
  ackCallbacks: (account) => account.ackCallbacks("example.com", 1, [], true),
  messageDetails: (account) => account.messageDetails([{ seq: 1, index: 0 }]),
  ackEvents: (account) => account.ackEvents("wh_1", 1, [], true),
  keys: (account) => account.keys(),
  makeKey: (account) => account.makeKey(1, "key"),
  revokeKey: (account) => account.revokeKey(1),
  expireKeys: (account) => account.expireKeys({ current: 1 }),
  rotateKey: (account) => account.rotateKey(1, 2, 1),
  disputePayment: (account) => account.disputePayment({ ...refund, disputeId: "d", deductedPaise: 1, version: 1 }),
  debts: (account) => account.debts(),
  reconcile: (account) => account.reconcile(),
  recount: (account) => account.recount({ cursor: null, full: false }),
  outline: (account) => account.outline(0),
  close: (account) => account.close(1),
  keep: (account) => account.keep(1),
  closing: (account) => account.closing(),
  settleClosing: (account) => account.settleClosing(0),
  exportPage: (account) => account.exportPage(0, 1),
};

/** All methods that return nothing about an account. `erase` leaves its mark (leaving.test.ts). */
const WITHOUT_ANSWER = ["open", "hangUp", "ping", "alarm", "fetch", "erase"];

it("answers null to every read and every change, and stores nothing", async () => {
  const stub = env.ACCOUNT.getByName(newAccountId(env.KEY_SECRET, null));
  await runInDurableObject(stub, async (account, { storage }) => {
    for (const [name, ask] of Object.entries(METHODS)) expect(await ask(account), name).toBeNull();
    account.hangUp();
    await account.alarm();
    expect(account.fetch(new Request("https://account/live")).status).toBe(404);
    expect(isOpened(storage.sql)).toBe(false);
    expect(await storage.getAlarm()).toBeNull();
  });
});

it("is tested with every method of the object", async () => {
  const stub = env.ACCOUNT.getByName(newAccountId(env.KEY_SECRET, null));
  await runInDurableObject(stub, (account) => {
    const all = new Set<string>();
    for (
      let at: object = Object.getPrototypeOf(account);
      at !== DurableObject.prototype;
      at = Object.getPrototypeOf(at)
    ) {
      for (const name of Object.getOwnPropertyNames(at)) if (!name.startsWith("webSocket")) all.add(name);
    }
    const asked = Object.keys(METHODS).map((name) => name.split(" ")[0] ?? "");
    expect([...all].toSorted()).toEqual([...new Set(["constructor", ...WITHOUT_ANSWER, ...asked])].toSorted());
  });
});
