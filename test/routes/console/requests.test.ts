import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { insertRefused } from "../../../src/db/requests/refused.ts";
import { refusedBy } from "../../world/refused.ts";
import { openWorld } from "../../world/world.ts";
import { visit } from "../../world/visitor.ts";

afterEach(() => vi.restoreAllMocks());

describe("/requests", () => {
  it("lists what was refused in the mode of the page, with its reason, fields and key", async () => {
    const { visitor, world } = await visit();
    const own = refusedBy(world.ref, Date.now() - 1_000);
    own.requests[0] = { ...(own.requests[0] ?? expect.fail()), keyId: world.keyId, path: "/send-otp" };
    await insertRefused(env.HISTORY_1, [own, refusedBy({ ...world.ref, mode: "test" }, Date.now())]);
    const page = await visitor.get("/requests");
    expect(page.status).toBe(200);
    for (const text of ["POST /send-otp", "phone: string(5)", "first key", own.requests[0].requestId]) {
      expect(page.text).toContain(text);
    }
    expect(page.text).toContain('<p lang="en">phone must be exactly 10 digits, without country code.</p>');
    expect(page.text).not.toContain("/send-sms");
    expect(page.text).toContain('href="/activity"');
    expect((await visitor.get("/activity")).text).toContain('href="/requests"');
  });

  it("is divided into pages, without one that is not there", async () => {
    const { visitor, world } = await visit();
    const nowMs = Date.now();
    await insertRefused(
      env.HISTORY_1,
      Array.from({ length: 31 }, (_, at) => refusedBy(world.ref, nowMs - at * 1_000)),
    );
    const first = (await visitor.get("/requests")).text;
    const [, next = ""] = /href="(\/requests\?older=[^"]+)"/u.exec(first) ?? [];
    const last = (await visitor.get(next)).text;
    expect([first, last].map((text) => text.split("POST /send-sms").length - 1)).toEqual([30, 1]);
    expect(last).not.toContain('href="/requests?older=');
  });

  it("says what it will list while it has nothing, and shows no one else's", async () => {
    const other = await openWorld();
    await insertRefused(env.HISTORY_1, [refusedBy(other.ref, Date.now())]);
    const { visitor } = await visit();
    expect((await visitor.get("/requests")).text).toContain("No request was refused");
    expect((await visitor.get("/requests?older=1793491200000.req_x")).text).toContain("nothing further back");
    expect((await visitor.get("/requests?older=%00")).status).toBe(200);
  });

  it("says that it is unavailable while history is", async () => {
    const { visitor } = await visit();
    vi.spyOn(console, "error").mockReturnValue();
    vi.spyOn(env.HISTORY_1, "prepare").mockImplementation(() => {
      throw new Error("D1_ERROR: away");
    });
    const page = await visitor.get("/requests");
    expect(page.status).toBe(200);
    expect(page.text).toContain("temporarily unavailable");
  });
});
