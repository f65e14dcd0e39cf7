import { describe, expect, it, vi } from "vitest";
import { attempt, hookOf, sendCode, sentBy, shown } from "../../world/hooks.ts";
import { ask, landAll } from "../../world/inbox.ts";
import { refusedOf } from "../../world/refused.ts";
import { attemptOf, olderPayloadOf, payloadOf } from "../../world/supabase.ts";
import { neverLogs } from "../../world/unlogged.ts";
import { visit } from "../../world/visitor.ts";
import { balanceOf, bearer, call, openWorld, operator } from "../../world/world.ts";

// Supabase Auth's Send SMS hook (contract §15): what is sent, to whom, how often, and what the person reads.

const CODE = "048213";
const PERSON_TEXT = /^[A-Z][a-z ,.']+\.$/iu;

neverLogs(CODE);

describe("a code for an Indian mobile", () => {
  it.each(["919876543210", "+919876543210"])("goes to %s as an OTP, at its price", async (phone) => {
    const world = await openWorld({ balance: 10, otpRate: 0.25 });
    const reply = await sendCode(world, { sms: { phone } });
    expect([reply.status, reply.body, shown(reply)]).toEqual([200, {}, "sent"]);
    expect(reply.headers.get("x-message-id")).toMatch(/^msg_/u);
    expect(await sentBy(world)).toEqual([{ operation: "otp", to: "+919876543210", charge: 2_500 }]);
    expect(await balanceOf(world)).toBe(97_500);
  });

  it("has the hook's brand in its text, and without one the service's name", async () => {
    const world = await openWorld({ mode: "test" });
    await attempt(hookOf(world, "Chai & Co ☕"));
    await attempt(hookOf(world, null), payloadOf({ sms: { otp: "777777" } }));
    await landAll(world);
    const { data } = (await ask(world)).body as { data: { text: string; code: string }[] };
    const texts = data.map(({ text, code }) => [code, text]);
    expect(texts.toReversed()).toEqual([
      [CODE, `${CODE} is your one-time password for Chai & Co ☕. Do not share it with anyone.`],
      ["777777", "777777 is your one-time password for Dastak. Do not share it with anyone."],
    ]);
  });

  it.each(["123456789", "1234567890"])("may have as many digits as Supabase makes: %s", async (otp) => {
    const world = await openWorld();
    expect(shown(await sendCode(world, { sms: { otp } }))).toBe("sent");
    expect(await sentBy(world)).toMatchObject([{ operation: "otp" }]);
  });
});

describe("a code for a number of another country", () => {
  it("goes out as an SMS with the same text", async () => {
    const world = await openWorld();
    expect(shown(await sendCode(world, { sms: { phone: "14155550132" } }))).toBe("sent");
    expect(await sentBy(world)).toMatchObject([{ operation: "sms_international", to: "+14155550132" }]);
  });

  it("is masked on the account's pages and in the API, as an OTP is", async () => {
    const { visitor, world } = await visit();
    const id = (await sendCode(world, { sms: { phone: "14155550132" } })).headers.get("x-message-id") ?? "";
    for (const path of ["/activity", `/activity/${id}`]) {
      const page = await visitor.get(path);
      expect([page.status, page.text.includes(CODE), page.text.includes("0132")]).toEqual([200, false, true]);
    }
    const masked = "•••••• is your one-time password for Shop.";
    expect((await visitor.get(`/activity/${id}`)).text).toContain(masked);
    const one = await call(`http://console.localhost/v1/messages/${id}`, { headers: bearer(world.apiKey) });
    expect(one.body.message.text).toContain(masked);
  });

  it("is not guessed to be Indian: a number of ten digits is as Supabase keeps it", async () => {
    const world = await openWorld();
    expect(shown(await sendCode(world, { sms: { phone: "6591234567" } }))).toBe("sent");
    expect(await sentBy(world)).toMatchObject([{ to: "+6591234567" }]);
    expect(shown(await sendCode(world, { sms: { phone: "9876543210" } }))).toEqual([
      422,
      expect.stringMatching("country"),
    ]);
  });
});

describe("to which number", () => {
  it("is what sms.phone says, when the number is being changed and for a second factor", async () => {
    const world = await openWorld();
    const user = { phone: "919876543210", new_phone: "919876543211" };
    await sendCode(world, { user, sms: { phone: "919876543211" } });
    await sendCode(world, { user, sms: { phone: "919876543212", sms_type: "mfa" } });
    expect((await sentBy(world)).map(({ to }) => to).toSorted()).toEqual(["+919876543211", "+919876543212"]);
  });

  it("is the user's only number, for a Supabase Auth that does not say it", async () => {
    const world = await openWorld();
    const hook = hookOf(world);
    expect(shown(await attempt(hook, olderPayloadOf({ user: { phone: "919876543210" } })))).toBe("sent");
    expect(shown(await attempt(hook, olderPayloadOf({ user: { phone: "", new_phone: "919876543211" } })))).toBe("sent");
    expect((await sentBy(world)).map(({ to }) => to).toSorted()).toEqual(["+919876543210", "+919876543211"]);
  });

  it("is never guessed: a code at another number could open the account", async () => {
    const world = await openWorld();
    for (const asked of [
      { user: { phone: "919876543210", new_phone: "919876543211" } },
      { user: { phone: "", new_phone: "919876543211" }, sms: { sms_type: "mfa" } },
      { user: { phone: "" } },
    ]) {
      const reply = await attempt(hookOf(world), olderPayloadOf(asked));
      expect(reply.status).toBe(400);
      expect(reply.body.error.message).toContain("2.180.0");
    }
    expect(await sentBy(world)).toEqual([]);
  });
});

describe("once per user, number and code", () => {
  it("however often it is repeated, each time with another webhook-id", async () => {
    const world = await openWorld();
    const body = payloadOf();
    const first = await attempt(hookOf(world), body);
    for (const again of [
      await attempt(hookOf(world), body),
      await sendCode(world),
      await sendCode(world, { sms: { phone: "+919876543210" } }),
    ]) {
      expect([again.status, again.text]).toEqual([200, "{}"]);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      expect(again.headers.get("x-message-id")).toBe(first.headers.get("x-message-id"));
    }
    expect(await sentBy(world)).toHaveLength(1);
  });

  it("also at the same time", async () => {
    const world = await openWorld({ balance: 10, otpRate: 1 });
    const body = payloadOf();
    const replies = await Promise.all([1, 2, 3].map(() => attempt(hookOf(world), body)));
    expect(replies.map(shown)).toEqual(["sent", "sent", "sent"]);
    expect(await balanceOf(world)).toBe(90_000);
  });

  it("and another user, number or code is another SMS", async () => {
    const world = await openWorld();
    await sendCode(world);
    await sendCode(world, { user: { id: "another" } });
    await sendCode(world, { sms: { phone: "919876543211" } });
    await sendCode(world, { sms: { otp: "111111" } });
    expect(await sentBy(world)).toHaveLength(4);
  });

  it("whatever a client writes into Idempotency-Key", async () => {
    const world = await openWorld();
    const body = payloadOf();
    for (const key of ["one", "two", "not valid"]) {
      const { headers, ...init } = attemptOf(hookOf(world), body);
      await call(hookOf(world).url, { ...init, headers: { ...headers, "idempotency-key": key } });
    }
    expect(await sentBy(world)).toHaveLength(1);
  });
});

describe("what the person reads where a code was not sent", () => {
  it("says nothing of the account's balance, which the account's log has", async () => {
    const world = await openWorld({ balance: 0, otpRate: 0.25 });
    const reply = await sendCode(world);
    expect(shown(reply)).toEqual([422, "The code could not be sent. Please try again later."]);
    expect(reply.text).not.toMatch(/balance|coin|0\.25/u);
    await vi.waitFor(async () => expect(await refusedOf(world.ref)).toHaveLength(1), { timeout: 10_000 });
    const [row] = await refusedOf(world.ref);
    expect(row).toMatchObject({ path: "/hooks/supabase/:hook", status: 403, code: "insufficient_balance" });
    expect(JSON.stringify(row)).not.toContain(CODE);
    await operator("POST", `/operator/accounts/${world.ref.accountId}/credits`, { amount: 1, reference: "r" });
    // The same code again is sent: what was refused is not remembered.
    expect(shown(await sendCode(world))).toBe("sent");
  });

  it("is the same for a suspended account", async () => {
    const world = await openWorld();
    await world.stub.amend({ status: "suspended" });
    expect(shown(await sendCode(world))).toEqual([422, "The code could not be sent. Please try again later."]);
  });

  it("asks for patience above the rate, with Retry-After", async () => {
    const world = await openWorld({ plan: "starter" });
    for (let nth = 0; nth < 10; nth += 1) await sendCode(world, { sms: { otp: `11111${nth}` } });
    const reply = await sendCode(world, { sms: { otp: "222222" } });
    expect(shown(reply)).toEqual([429, expect.stringContaining("few minutes")]);
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  it.each([["911123456789"], ["9198765"], ["1415555"], ["12"], ["999999999999"], ["91 98765 x"]])(
    "names the number where it is none: %s",
    async (phone) => {
      const [status, message] = shown(await sendCode(await openWorld(), { sms: { phone } })) as [number, string];
      expect([status, message]).toEqual([422, expect.stringMatching(/^This phone number cannot get a code/u)]);
      expect(message).toMatch(PERSON_TEXT);
    },
  );

  it("names the country where it is not offered", async () => {
    const reply = await sendCode(await openWorld(), { sms: { phone: "88216123456789" } });
    expect(shown(reply)).toEqual([422, expect.stringMatching(/country/u)]);
  });
});
