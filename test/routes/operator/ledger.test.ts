import { describe, expect, it } from "vitest";
import { operatorSuite, pageSuite, pagesOf, unknownAccountSuite } from "../../world/operating.ts";
import { bearer, dispatch, messagesOf, openWorld, operator, post, sendSms } from "../../world/world.ts";

const pathOf = (id: string) => `/operator/accounts/${id}/ledger`;

describe("GET /operator/accounts/:id/ledger", () => {
  operatorSuite("GET", pathOf);
  unknownAccountSuite("GET", pathOf);
  pageSuite(pathOf);

  it("shows every entry, oldest first, and the same entries for any page size", async () => {
    const world = await openWorld({ balance: 100 });
    const sent = await sendSms(world);
    await post("http://otp.localhost/send-otp", { phone: "9876543210", otp: "1234" }, bearer(world.apiKey));
    const recipients = ["9876543210", "9876543211"];
    await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
    await world.stub.credit({ amount: -50_000, reference: "fix", requestId: "req_x" });
    const { data } = (await operator("GET", pathOf(world.ref.accountId))).body as { data: { message_id: string }[] };
    expect(data).toMatchObject([
      { type: "credit", amount: 100, balance_after: 100, reference: "opening", message_id: null, request_id: null },
      { type: "debit", amount: -1, balance_after: 99, request_id: sent.headers.get("x-request-id"), reference: null },
      { type: "debit", amount: -0.15, balance_after: 98.85 },
      { type: "debit", amount: -2, balance_after: 96.85, message_id: null },
      { type: "adjustment", amount: -5, balance_after: 91.85, reference: "fix" },
    ]);
    expect(data[1]?.message_id).toMatch(/^msg_[0-9A-Za-z]+$/u);
    expect(Object.keys(data[0] ?? {})).toEqual([
      "seq",
      "type",
      "amount",
      "message_id",
      "request_id",
      "reference",
      "balance_after",
      "at",
    ]);
    for (const limit of [1, 2, 3, 5, 500]) expect(await pagesOf(pathOf(world.ref.accountId), limit)).toEqual(data);
  });

  it("shows a refund with its message and its own reference", async () => {
    const world = await openWorld({ balance: 100 });
    await sendSms(world);
    const [message] = await messagesOf(world);
    await dispatch(world, [message?.seq ?? 0]);
    await world.stub.report([{ kind: "receipt", seq: message?.seq ?? 0, index: 0, state: "failed" }], false);
    const { data } = (await operator("GET", pathOf(world.ref.accountId))).body;
    expect(data).toHaveLength(3);
    expect(data[2]).toMatchObject({ type: "refund", amount: 1, balance_after: 100, message_id: data[1].message_id });
    expect(data[2].reference).toBe(`refund:${data[1].message_id}`);
  });

  it("?mode=test shows the twin's own ledger", async () => {
    const twin = await openWorld({ mode: "test", balance: 100_000 });
    const { data } = (await operator("GET", `${pathOf(twin.ref.accountId)}?mode=test`)).body;
    expect(data).toMatchObject([{ amount: 100_000 }]);
  });
});
