import { env, exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { callWith } from "../world/deployment.ts";
import { atTheDesk } from "../world/operators.ts";
import { CONSOLE, Visitor, visit } from "../world/visitor.ts";
import { messagesOf, post } from "../world/world.ts";

// Every form is bounded before it is read: its bytes, its fields, and the length of each field.

const KIB = 1024;
const JSON_TYPE = { accept: "application/json" };

/** A form whose body has exactly this many bytes. */
const formOf = (bytes: number) => ({ recipients: "x".repeat(bytes - "recipients=".length) });

/** A body in pieces of 8 KiB that counts how many were read; no header declares its length unless `length` does. */
async function stream(visitor: Visitor, path: string, bytes: number, headers: Record<string, string> = {}) {
  let left = bytes;
  let pieces = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const size = Math.min(left, 8 * KIB);
        left -= size;
        if (size === 0) return controller.close();
        pieces += 1;
        controller.enqueue(new Uint8Array(size).fill(0x61));
      },
    },
    { highWaterMark: 0 },
  );
  const all = {
    ...JSON_TYPE,
    origin: CONSOLE,
    cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    "content-type": "application/x-www-form-urlencoded",
    ...headers,
  };
  // The Worker's own entry: on the way through the runtime the first piece would be read ahead.
  const reply = await callWith({}, CONSOLE + path, { method: "POST", body, headers: all });
  const { code, error } = reply.body as { code?: string; error?: string };
  return { status: reply.status, code, error, pieces };
}

const signedInVisitor = async () => (await visit()).visitor;
const stranger = async () => new Visitor();

describe("a form of more than 64 KiB", () => {
  it.each([
    ["/sign-in", stranger],
    ["/sign-up", stranger],
    ["/sign-in/password", stranger],
    ["/preferences", stranger],
    ["/sign-out", stranger],
    ["/desk/sign-in", stranger],
    ["/desk/accounts", stranger],
    ["/send/sms", signedInVisitor],
    ["/settings/buyer", signedInVisitor],
    ["/desk/rate-card", atTheDesk],
  ])("to %s is a 400 in one sentence, and is not read when its length is declared", async (path, who) => {
    const visitor = await who();
    const error = "This form is larger than 64 KiB.";
    const declared = await stream(visitor, path, 70 * KIB, { "content-length": String(70 * KIB) });
    expect(declared).toEqual({ status: 400, code: "invalid_request", error, pieces: 0 });
    const page = await visitor.submit(path, formOf(64 * KIB + 1));
    expect(page.status).toBe(400);
    expect(page.text).toContain(error);
  });

  it("is counted while it is read, and one of 64 KiB is read", async () => {
    const visitor = await signedInVisitor();
    const { status, error } = await stream(visitor, "/send/sms", 64 * KIB + 1);
    expect({ status, error }).toEqual({ status: 400, error: "This form is larger than 64 KiB." });
    const whole = await visitor.submit("/send/sms", formOf(64 * KIB), JSON_TYPE);
    expect(JSON.parse(whole.text)).toMatchObject({ param: "phone" });
    expect((await stream(visitor, "/send/sms", 10 * KIB * KIB + 1)).status).toBe(413);
  });

  it("is refused in Hindi on a Hindi page", async () => {
    const visitor = await stranger();
    visitor.cookies.set("lang", "hi");
    expect((await visitor.submit("/sign-in", formOf(64 * KIB + 1))).text).toContain("यह फ़ॉर्म 64 KiB से बड़ा है।");
  });
});

describe("a list of recipients", () => {
  it.each(["/send/bulk", "/send/bulk/check"])("of up to 1 MiB is read at %s", async (path) => {
    const { visitor, world } = await visit();
    const line = "Asha Rao from the long list of customers of the shop,9876543210\n";
    const recipients = line.repeat(Math.floor((900 * KIB) / line.length));
    const form = new FormData();
    for (const [name, value] of Object.entries({ recipients, message: "Hello" })) form.set(name, value);
    expect((await visitor.submit(path, form)).status).toBe(200);
    expect(await messagesOf(world)).toHaveLength(path === "/send/bulk" ? 1 : 0);
    const { status, error } = await stream(visitor, path, 1024 * KIB + 1);
    expect({ status, error }).toEqual({ status: 400, error: "This form is larger than 1 MiB." });
  });

  it.each(["/send/bulk", "/send/bulk/check", "/recordings"])("to %s is not read without a session", async (path) => {
    const visitor = await stranger();
    for (const headers of [{}, { "content-length": String(900 * KIB) }]) {
      const { status, code, pieces } = await stream(visitor, path, 900 * KIB, headers);
      expect({ status, code, pieces }).toEqual({ status: 401, code: "unauthorized", pieces: 0 });
    }
  });

  it("of more than 50,000 lines sends nothing, even where lines with a fault are left out", async () => {
    const { visitor, world } = await visit();
    const recipients = `9876543210\n${"a\n".repeat(60_000)}`;
    const page = await visitor.submit("/send/bulk", { recipients, message: "Hello", skip: "1" });
    expect(page.status).toBe(400);
    expect(page.text).toContain("the list has more than 50,000 lines");
    const check = await visitor.submit("/send/bulk/check", { recipients });
    expect(check.text).toContain("Line 50001: <bdi></bdi> – from here on the list was not read");
    expect(await messagesOf(world)).toEqual([]);
  });

  it("of more than 10,000 numbers is refused as the API refuses it, however long it is", async () => {
    const visitor = await signedInVisitor();
    const form = new FormData();
    const numbers = Array.from({ length: 49_000 }, (_, at) => 9_000_000_000 + at).join("\n");
    form.set("file", new File([numbers], "list.csv"));
    form.set("message", "Hello");
    const reply = await visitor.submit("/send/bulk", form, JSON_TYPE);
    const error = "You can send to at most 10,000 numbers at once. Split the list.";
    expect(JSON.parse(reply.text)).toMatchObject({ success: false, error });
  });
});

const urlencoded = (count: number) => Array.from({ length: count }, () => "a=").join("&");
const parts = (count: number) =>
  `${Array.from({ length: count }, () => '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n').join("")}--x--\r\n`;

describe("the fields of a form", () => {
  it.each([
    ["application/x-www-form-urlencoded", urlencoded],
    ["multipart/form-data; boundary=x", parts],
    ['Multipart/Form-Data; charset=utf-8; boundary="x"', parts],
  ])("are at most 1,000 in %s", async (type, body) => {
    const send = (count: number) =>
      exports.default.fetch(`${CONSOLE}/sign-in`, {
        method: "POST",
        headers: { ...JSON_TYPE, origin: CONSOLE, "content-type": type },
        body: body(count),
      });
    expect(await (await send(1_000)).json()).toMatchObject({
      code: "invalid_request",
      error: expect.stringMatching(/phone|number/iu),
    });
    const refused = await send(1_001);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ error: "This form has more than 1,000 fields." });
  });

  it("are at most 2,000 characters long where no other limit is named", async () => {
    const { visitor, person } = await visit();
    const cases = [
      ["/settings/buyer", "buyer_address"],
      ["/settings/name", "name"],
      ["/keys", "name"],
      ["/send/otp", "brandName"],
      ["/billing/orders", "plan"],
      ["/sign-in/code", "code"],
      ["/sign-in/password", "email"],
    ];
    for (const [path = "", field = ""] of cases) {
      const reply = await visitor.submit(path, { [field]: "x".repeat(2_001) }, JSON_TYPE);
      expect({ path, status: reply.status }).toEqual({ path, status: 400 });
      const error = "A field of this form is too long: it may have at most 2,000 characters.";
      expect(JSON.parse(reply.text)).toMatchObject({ code: "invalid_request", error, param: field });
    }
    expect((await visitor.submit("/settings/name", { name: "n".repeat(2_000) })).status).toBe(303);
    const stored = await env.DB.prepare("SELECT name FROM person WHERE id = ?").bind(person.id).first<string>("name");
    expect(stored).toBe("n".repeat(80));
  });

  it("keep a long text, and say what the API says of it", async () => {
    const page = await (
      await signedInVisitor()
    ).submit("/send/sms", { phone: "9876543210", message: "x".repeat(5_000) });
    expect(page.status).toBe(400);
    expect(page.text).toContain("it has 5,000.");
    expect(page.text).toContain("x".repeat(5_000));
  });
});

describe("a text of a stranger that is too long", () => {
  it("is never a path that a form leads back to", async () => {
    const visitor = await stranger();
    for (const [length, location] of [
      [2_000, `/${"a".repeat(1_999)}`],
      [2_001, "/"],
      [60_000, "/"],
    ] as const) {
      const next = `/${"a".repeat(length - 1)}`;
      const chosen = await visitor.submit("/preferences", { lang: "en", next });
      expect([chosen.status, chosen.headers.get("location")]).toEqual([303, location]);
      if (length > 8_000) continue;
      const asked = await visitor.get(`/sign-in?next=${next}`);
      expect(asked.text.includes(`name="next" value="${next}"`)).toBe(location === next);
    }
    const sent = await visitor.submit("/sign-in", { phone: "9876543299", next: `/${"b".repeat(50_000)}` });
    expect(sent.status).toBe(303);
    const kept = await env.DB.prepare("SELECT max(length(payload)) AS size FROM challenge").first<number>("size");
    expect(kept).toBeLessThan(2_500);
  });

  it.each([255, 1_900])("is not an e-mail: %i characters", async (length) => {
    const email = `a@${"a.".repeat(length)}`.slice(0, length - 2) + "in";
    const page = await (await stranger()).submit("/sign-in/password", { email, password: "correct horse" });
    expect(page.status).toBe(400);
    expect(page.text).toContain("Enter a valid email address");
  });

  it("is not an address: 400 above 8,192 characters", async () => {
    const path = "/sign-in?next=/";
    const visitor = await stranger();
    const fits = 8_192 - CONSOLE.length - path.length;
    expect((await visitor.get(path + "a".repeat(fits))).status).toBe(200);
    const refused = await visitor.get(path + "a".repeat(fits + 1), JSON_TYPE);
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text)).toMatchObject({ success: false, code: "invalid_request" });
    const api = await post(`http://sms.localhost/send-sms?a=${"a".repeat(9_000)}`, {});
    expect(api.status).toBe(400);
    expect(api.headers.get("x-request-id")).toBe(api.body.request_id);
  });
});
