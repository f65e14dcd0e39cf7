import { describe, expect, it } from "vitest";
import { ask, land, landAll, localInbox, newPhone } from "../../world/inbox.ts";
import { bearer, openWorld, post } from "../../world/world.ts";

// Waits of the test inbox's API. Only a test that starts waiting before it sends proves that a wait waits.

interface Shown {
  id: string;
}

describe("a wait", () => {
  it("answers as soon as the message arrives, with its code", async () => {
    const world = await openWorld();
    const phone = newPhone();
    const waited = ask(world, `/wait?to=${phone}&timeout=20`);
    // The wait is open once another call of the same object has been answered.
    await localInbox().list({ account: null }, {}, 1);
    await land(world, { message: "not for whoever waits" });
    await post("http://otp.localhost/send-otp", { phone, otp: "482913" }, bearer(world.apiKey));
    await landAll(world);
    const reply = await waited;
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      success: true,
      message: { to: `+91${phone}`, code: "482913", operation: "otp" },
    });
  });

  it("answers at once if a message is there: the next after `since`, or without `since` the newest", async () => {
    const world = await openWorld();
    for (const message of ["one", "two", "three"]) await land(world, { message });
    expect((await ask(world, "/wait?timeout=0")).body.message.text).toBe("three");
    const [, , first] = (await ask(world)).body.data as Shown[];
    const next = await ask(world, `/wait?since=${first?.id}&timeout=0`);
    expect(next.body.message.text).toBe("two");
    expect((await ask(world, `/wait?since=${next.body.message.id}&timeout=0`)).body.message.text).toBe("three");
    const [newest] = (await ask(world)).body.data as Shown[];
    expect((await ask(world, `/wait?since=${newest?.id}&timeout=0`)).body).toEqual({ success: true, message: null });
  });

  it("returns null when its time is over", async () => {
    const world = await openWorld();
    const reply = await ask(world, "/wait?timeout=0.02");
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ success: true, message: null });
  });

  it("gives each of several parallel waits the message to its number", async () => {
    const world = await openWorld();
    const phones = Array.from({ length: 8 }, newPhone);
    const waits = phones.map((phone) => ask(world, `/wait?to=${phone}&timeout=20`));
    await localInbox().list({ account: null }, {}, 1);
    for (const phone of phones.toReversed()) await land(world, { phone, message: `code ${phone.slice(-6)}` });
    for (const [at, reply] of (await Promise.all(waits)).entries()) {
      expect(reply.body.message).toMatchObject({ to: `+91${phones[at]}`, code: phones[at]?.slice(-6) });
    }
  });

  it("receives no messages of other accounts", async () => {
    const [mine, other] = [await openWorld(), await openWorld()];
    const waited = ask(mine, "/wait?timeout=20");
    await localInbox().list({ account: null }, {}, 1);
    await land(other, { message: "theirs" });
    await land(mine, { message: "mine" });
    expect((await waited).body.message.text).toBe("mine");
  });
});
