import { describe, expect, it } from "vitest";
import { messagesOf, openWorld, recordingOf } from "../../world/world.ts";
import { CONSOLE, visit, shownIn } from "../../world/visitor.ts";
import { CASES, JSON_TYPE, asJson, fieldOf } from "../../world/send-form.ts";

describe("the pages", () => {
  it("count, price and name on the server what the browser shows while typing", async () => {
    const { visitor } = await visit();
    const page = await visitor.submit("/send/sms", { phone: "1", message: `It’s ${"x".repeat(70)}` });
    expect(page.text).toMatch(/data-encoding="">UCS-2</u);
    expect(page.text).toMatch(/data-segments="">2</u);
    expect(page.text).toContain("“’”\u00a0U+2019\u00a0→\u00a0“&#39;”");
    expect(page.text).toMatch(/data-total=""[^>]*>₹2\.00</u);
  });

  it("fill in the values of a link", async () => {
    const { visitor } = await visit();
    expect(fieldOf(await visitor.get("/send/sms?to=%2B919876543210"), "phone")).toBe("9876543210");
    expect(fieldOf(await visitor.get("/send/voice?to=%2B919876543210"), "callee")).toBeUndefined();
    const hostile = await visitor.get("/send/international?to=%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E");
    expect(hostile.text).not.toContain("<img");
  });

  it("answer 404 for an unknown kind, and require a session", async () => {
    const { visitor } = await visit();
    expect((await visitor.get("/send/fax")).status).toBe(404);
    expect((await visitor.submit("/send/fax", {})).status).toBe(404);
    visitor.cookies.clear();
    expect((await visitor.submit("/send/sms", CASES.sms.form)).status).toBe(303);
    expect((await visitor.submit("/send/sms", CASES.sms.form, JSON_TYPE)).status).toBe(401);
  });

  it("send nothing for another site", async () => {
    const { visitor, world } = await visit();
    const page = await visitor.submit("/send/sms", CASES.sms.form, { origin: "https://evil.example" });
    expect(page.status).toBe(403);
    expect(await messagesOf(world)).toEqual([]);
  });

  it("offer no other account's recording, and refuse a call with one", async () => {
    const { visitor, world } = await visit();
    const stranger = await openWorld();
    const foreign = await recordingOf(stranger);
    const own = await recordingOf(world);
    const page = await visitor.get(`/send/voice?file=${foreign}`);
    expect(page.text).toContain(`value="${own}"`);
    expect(shownIn(page)).not.toContain(foreign);
    const replies = await Promise.all(
      [foreign, "file_unknown"].map((fileId) => asJson(visitor, "/send/voice", { callee: "919876543210", fileId })),
    );
    for (const { status, body } of replies) {
      expect(status).toBe(400);
      expect(body).toMatchObject({ error: "This recording doesn't exist. Choose another one.", param: "fileId" });
    }
    expect(await messagesOf(world)).toEqual([]);
  });

  it("refuse a form larger than 10 MiB in one sentence", async () => {
    const { visitor } = await visit();
    const form = new FormData();
    form.set("file", new File([new Uint8Array(10 * 1024 * 1024)], "a.csv"));
    const reply = await visitor.submit("/send/bulk", form, JSON_TYPE);
    expect(reply.status).toBe(413);
    expect(JSON.parse(reply.text)).toMatchObject({ success: false, code: "payload_too_large" });
  });

  it("refuse a body that is not a form", async () => {
    const { visitor } = await visit();
    for (const type of ["multipart/form-data", "multipart/form-data; boundary=x", "text/plain", "application/json"]) {
      const page = await visitor.submit("/send/sms", { phone: "1" }, { "content-type": type, origin: CONSOLE });
      expect(page.status).toBe(400);
    }
  });
});
