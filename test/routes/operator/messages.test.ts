import { describe, expect, it } from "vitest";
import { operatorSuite, pageSuite, pagesOf, unknownAccountSuite } from "../../world/operating.ts";
import { bearer, dispatch, messagesOf, openWorld, operator, post, sendSms } from "../../world/world.ts";

const pathOf = (id: string) => `/operator/accounts/${id}/messages`;

describe("GET /operator/accounts/:id/messages", () => {
  operatorSuite("GET", pathOf);
  unknownAccountSuite("GET", pathOf);
  pageSuite(pathOf);

  it("shows a complete message, from the account itself", async () => {
    const world = await openWorld();
    const sent = await sendSms(world);
    const path = pathOf(world.ref.accountId);
    const [queued] = (await operator("GET", path)).body.data;
    expect(queued).toEqual({
      message_id: expect.stringMatching(/^msg_[0-9A-Za-z]+$/u),
      request_id: sent.headers.get("x-request-id"),
      operation: "sms",
      to: "+919876543210",
      state: "queued",
      charge: 1,
      carrier: null,
      attempts: 0,
      error_code: null,
      created_at: expect.stringMatching(/Z$/u),
      updated_at: expect.stringMatching(/Z$/u),
    });
    const [message] = await messagesOf(world);
    await dispatch(world, [message?.seq ?? 0]);
    const [submitted] = (await operator("GET", path)).body.data;
    expect(submitted).toMatchObject({ message_id: queued.message_id, state: "submitted", carrier: "sim", attempts: 1 });
  });

  it("shows every message of a bulk, oldest first, for any page size", async () => {
    const world = await openWorld();
    await sendSms(world);
    const recipients = Array.from({ length: 130 }, (_, index) => String(9_000_000_000 + index));
    await post("http://sms.localhost/send-bulk-sms", { recipients, message: "Hi" }, bearer(world.apiKey));
    await sendSms(world, { body: { phone: "9999999999" } });
    const path = pathOf(world.ref.accountId);
    const all = (await pagesOf(path, 500)) as { to: string; message_id: string }[];
    const numbers = ["9876543210", ...recipients, "9999999999"].map((phone) => `+91${phone}`);
    expect(all.map((row) => row.to)).toEqual(numbers);
    expect(new Set(all.map((row) => row.message_id)).size).toBe(132);
    for (const limit of [1, 7, 131, 132]) expect(await pagesOf(path, limit)).toEqual(all);
    expect((await operator("GET", path)).body).toMatchObject({ data: all.slice(0, 100), has_more: true });
  });

  it("shows a call under the id from its reply", async () => {
    const world = await openWorld();
    const body = { callee: "9876543210", text: "Hello" };
    await post("http://tts.localhost/api/tts-call", body, { "x-api-key": world.apiKey });
    const { data } = (await operator("GET", pathOf(world.ref.accountId))).body;
    expect(data).toMatchObject([{ operation: "tts", message_id: expect.stringMatching(/^call_/u), charge: 2 }]);
  });
});
