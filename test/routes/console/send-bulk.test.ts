import { describe, expect, it } from "vitest";
import { messagesOf } from "../../world/world.ts";
import { visit } from "../../world/visitor.ts";
import type { Page, Visitor } from "../../world/visitor.ts";

const JSON_TYPE = { accept: "application/json" };
const GOOD = ["9876543210", "9876543211", "9876543212"];

function csv(text: string, fields: Record<string, string> = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries({ message: "Hello", once: "once_12345678", ...fields })) {
    form.set(name, value);
  }
  form.set("file", new File([text], "list.csv", { type: "text/csv" }));
  return form;
}

const sentTo = async ({ world }: Awaited<ReturnType<typeof visit>>) =>
  (await messagesOf(world)).map(({ to }) => to.replace("+91", ""));

const submit = (visitor: Visitor, form: Record<string, string> | FormData): Promise<Page> =>
  visitor.submit("/send/bulk", form);

describe("a list with lines that are not numbers", () => {
  const recipients = `${GOOD[0]}\n98765\n${GOOD[1]}\n<img src=x onerror=alert(1)>\n\n${GOOD[1]}`;

  it("sends nothing, names each of them, and keeps the input", async () => {
    const visited = await visit();
    const page = await submit(visited.visitor, { recipients, message: "Hello", once: "once_12345678" });
    expect(page.status).toBe(400);
    expect(page.text).toContain("Nothing was sent");
    expect(page.text).toContain("Line 2: <bdi>98765</bdi> – too short");
    expect(page.text).toContain("Line 4: <bdi>&lt;img src=x onerror=alert(1)&gt;</bdi> – not a number");
    expect(page.text).not.toContain("<img");
    expect(page.text).toMatch(/Numbers: <b>2<\/b>/u);
    expect(page.text).toMatch(/Duplicates removed: <b>1<\/b>/u);
    expect(page.text).toMatch(/<textarea[^>]*name="recipients"[^>]*aria-invalid="true"/u);
    expect(page.text).toContain(`${GOOD[1]}</textarea>`);
    expect(await sentTo(visited)).toEqual([]);
    const reply = await visited.visitor.submit("/send/bulk", { recipients, message: "Hello" }, JSON_TYPE);
    expect(JSON.parse(reply.text)).toMatchObject({ success: false, code: "invalid_request", param: "recipients" });
  });

  it("sends the rest on request, under the same form token", async () => {
    const visited = await visit();
    const form = { recipients, message: "Hello", once: "once_12345678" };
    await submit(visited.visitor, form);
    const page = await submit(visited.visitor, { ...form, skip: "1" });
    expect(page.text).toContain("The SMS is queued for 2 recipients.");
    expect(await sentTo(visited)).toEqual(GOOD.slice(0, 2));
  });

  it("is checked while typing by the same parser that sends it", async () => {
    const { visitor, world } = await visit();
    const page = await visitor.submit("/send/bulk/check", { recipients });
    expect(page.text).toMatch(/^<div [^>]*data-found="2" data-bad="2"/u);
    expect(page.text).toContain("Line 2: <bdi>98765</bdi>");
    expect(page.text).not.toContain("<img");
    expect(await messagesOf(world)).toEqual([]);
    visitor.cookies.clear();
    expect((await visitor.submit("/send/bulk/check", { recipients })).status).toBe(303);
  });
});

describe("a file", () => {
  it.each([
    [
      "with a header, a byte order mark and Windows line ends",
      `\ufeffName,Mobile\r\nAsha,${GOOD[0]}\r\n"R, D",${GOOD[1]}\r\n`,
    ],
    ["with semicolons and no header", `Asha;+91 ${GOOD[0]}\nRavi;0${GOOD[1]}`],
    ["of numbers alone", `${GOOD[0]}\n${GOOD[1]}`],
  ])("%s is a list", async (_, text) => {
    const visited = await visit();
    const page = await submit(visited.visitor, csv(text));
    expect(page.text).toContain("The SMS is queued for 2 recipients.");
    const again = await submit(visited.visitor, csv(text));
    expect(again.text).toContain("sent again.");
    expect(await sentTo(visited)).toEqual(GOOD.slice(0, 2));
  });

  it("with a bad line is returned as a list that can be corrected", async () => {
    const visited = await visit();
    const page = await submit(visited.visitor, csv(`phone\n${GOOD[0]}\nnobody`));
    expect(page.status).toBe(400);
    expect(page.text).toContain(`phone\n${GOOD[0]}\nnobody</textarea>`);
    expect(page.text).toContain("Line 3: <bdi>nobody</bdi>");
    expect(await sentTo(visited)).toEqual([]);
  });

  it("is not sent together with pasted numbers", async () => {
    const visited = await visit();
    const page = await submit(visited.visitor, csv(GOOD[0]!, { recipients: GOOD[1]! }));
    expect(page.status).toBe(400);
    expect(page.text).toContain("Paste numbers or choose a file, not both.");
    expect(await sentTo(visited)).toEqual([]);
  });

  it("of ten thousand is sent, and with one more is refused as a whole", async () => {
    const visited = await visit({ balance: 10_000 });
    const many = Array.from({ length: 10_001 }, (_, at) => `98${String(at).padStart(8, "0")}`);
    const refused = await submit(visited.visitor, csv(many.join("\n")));
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("You can send to at most 10,000 numbers at once. Split the list.");
    const page = await submit(visited.visitor, csv(many.slice(1).join("\n")));
    expect(page.text).toContain("The SMS is queued for 10,000 recipients.");
    expect(await sentTo(visited)).toHaveLength(10_000);
  });

  it.each([
    ["an Excel workbook", [0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0x06, 0x00]],
    ["an old Excel workbook", [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]],
  ])("that is %s is refused with what to do instead, in both languages", async (_, bytes) => {
    const visited = await visit();
    const form = new FormData();
    form.set("message", "Hello");
    form.set("file", new File([Uint8Array.from(bytes)], "list.xlsx"));
    const page = await submit(visited.visitor, form);
    expect(page.status).toBe(400);
    expect(page.text).toContain("This is an Excel workbook. Save it as CSV");
    expect(page.text).toMatch(/<input[^>]*name="file"[^>]*aria-invalid="true"/u);
    expect(page.text).not.toContain("not a number");
    visited.visitor.cookies.set("lang", "hi");
    const reply = await visited.visitor.submit("/send/bulk", form, JSON_TYPE);
    expect(JSON.parse(reply.text)).toMatchObject({
      param: "file",
      error: expect.stringContaining("यह Excel की वर्कबुक है।"),
    });
    expect(await sentTo(visited)).toEqual([]);
  });

  it("in UTF-16, as spreadsheets write Unicode text, is a list", async () => {
    const visited = await visit();
    const units = [0xfeff, ...`Name\tPhone\r\nआशा\t${GOOD[0]}\r\n`.split("").map((unit) => unit.charCodeAt(0))];
    const bytes = Uint8Array.from(units.flatMap((unit) => [unit & 0xff, unit >> 8]));
    const form = new FormData();
    form.set("message", "Hello");
    form.set("file", new File([bytes], "list.txt"));
    await submit(visited.visitor, form);
    expect(await sentTo(visited)).toEqual([GOOD[0]]);
  });

  it("that is empty or missing is refused by the API", async () => {
    const visited = await visit();
    for (const form of [csv(""), csv("\n\n"), { message: "Hello", once: "once_12345678" }]) {
      const page = await submit(visited.visitor, form);
      expect(page.status).toBe(400);
      expect(page.text).toContain("Enter at least one number.");
    }
  });
});
