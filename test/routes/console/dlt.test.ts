import { expect, it } from "vitest";
import { LOGIN, PACKED, REGISTRY, SALE, getDlt, putDlt } from "../../world/dlt.ts";
import { hindi, inHindi } from "../../world/hindi.ts";
import { CONSOLE, visit } from "../../world/visitor.ts";
import { sendSms } from "../../world/world.ts";

// The page of the DLT registry, as its reader uses it without a script.

const TEMPLATE = {
  template_id: PACKED,
  headers: "ACMEIN",
  category: "service_implicit",
  text: "Order {#var#} is packed.\r\n- Acme",
};

it("builds a registry by its forms, which counts from the next message on", async () => {
  const { visitor, world } = await visit();
  expect((await visitor.get("/dlt")).text).toContain("No headers yet.");
  expect((await visitor.submit("/dlt/headers", { header: "ACMEIN", category: "service_implicit" })).status).toBe(303);
  expect((await visitor.submit("/dlt/templates", TEMPLATE)).status).toBe(303);
  const terms = { entity_id: " 1201159159159159159 ", enforce: "on", otp: "", values: "" };
  expect((await visitor.submit("/dlt/terms", terms)).headers.get("location")).toMatch(/\/dlt\?done=saved#terms$/u);
  const { text } = await visitor.get("/dlt?done=saved");
  expect(text).toContain("AX-ACMEIN-S");
  expect(text).toContain("Saved.");
  expect((await sendSms(world)).body.code).toBe("dlt_mismatch");
  expect((await sendSms(world, { body: { message: "Order 5 is packed.\n- Acme" } })).status).toBe(200);
  // A template that stands already is changed, and one is removed.
  await visitor.submit("/dlt/templates", { ...TEMPLATE, text: "Parcel {#var#}" });
  expect((await getDlt(world)).body.dlt.templates).toMatchObject([{ template_id: PACKED, text: "Parcel {#var#}" }]);
  const kept = await visitor.submit("/dlt/headers", { remove: "ACMEIN" });
  expect([kept.status, kept.text.includes("still uses one")]).toEqual([400, true]);
  await visitor.submit("/dlt/templates/remove", { template_id: PACKED });
  await visitor.submit("/dlt/headers", { remove: "ACMEIN" });
  expect((await getDlt(world)).body.dlt).toMatchObject({ templates: [], headers: [], enforce: "on" });
});

it("chooses the template of one-time passwords with its values", async () => {
  const { visitor, world } = await visit();
  await putDlt(world);
  const terms = { entity_id: REGISTRY.entity_id, enforce: "warn", otp: LOGIN };
  await visitor.submit("/dlt/terms", { ...terms, values: "" });
  expect((await getDlt(world)).body.dlt.otp).toEqual({ template_id: LOGIN, values: ["{otp}", "{brand}"] });
  await visitor.submit("/dlt/terms", { ...terms, values: "{otp}\r\nAcme Shop" });
  expect((await getDlt(world)).body.dlt.otp.values).toEqual(["{otp}", "Acme Shop"]);
  const wrong = await visitor.submit("/dlt/terms", { ...terms, values: "{otp}" });
  expect([wrong.status, wrong.text.includes("f-values-error")]).toEqual([400, true]);
});

it("takes a header without the spaces that were copied along", async () => {
  const { visitor, world } = await visit();
  await visitor.submit("/dlt/headers", { header: " ACME IN ", category: "service_implicit" });
  expect((await getDlt(world)).body.dlt.headers).toMatchObject([{ header: "ACME IN" }]);
});

it("says at the field that a typed template of one-time passwords is not there", async () => {
  const { visitor, world } = await visit();
  const templates = Array.from({ length: 101 }, (_, n) => ({
    ...REGISTRY.templates[0],
    template_id: String(1_107_000_000 + n),
    text: `Order {#var#} is packed ${n}.`,
  }));
  await putDlt(world, { ...REGISTRY, templates, otp: null });
  const terms = { entity_id: REGISTRY.entity_id, enforce: "on", otp: "1234567890", values: "" };
  const wrong = await visitor.submit("/dlt/terms", terms);
  expect([wrong.status, wrong.text.includes("f-otp-error")]).toEqual([400, true]);
});

it("shows the difference of a text to the nearest template, also while nothing is checked", async () => {
  const { visitor, world } = await visit();
  await putDlt(world, { ...REGISTRY, enforce: "off" });
  const { text } = await visitor.submit("/dlt/test", { message: "Order 5 is <b>acked. - Acme", senderId: "" });
  expect(text).toContain("Order 5 is <mark>&lt;</mark>b&gt;acked. - Acme");
  expect(text).toContain("Order {#var#} is packed. - Acme");
  expect((await visitor.submit("/dlt/test", { message: "Order 5 is packed. - Acme" })).text).toContain(
    `It fits template ${PACKED}.`,
  );
  const long = await visitor.submit("/dlt/test", { message: "x".repeat(161) });
  expect(long.text).toContain("at most 160 characters");
  expect(long.text).not.toContain("Nearest template");
  const header = await visitor.submit("/dlt/test", { message: "Order 5 is packed. - Acme", senderId: "600123" });
  expect(header.text).toContain(`not a header of DLT template ${PACKED}`);
});

it("takes a portal's file, and says which lines are wrong", async () => {
  const { visitor, world } = await visit();
  const upload = (bytes: string | Uint8Array<ArrayBuffer>) => {
    const form = new FormData();
    form.set("file", new File([bytes], "templates.csv", { type: "text/csv" }));
    return visitor.submit("/dlt/import", form);
  };
  const file = `Template ID;Header;Content;Status\r\n${PACKED};ACMEIN;Order {#var#};Approved\r\n12;ACMEIN;x;Approved\r\n${SALE};A;b;Rejected`;
  const { text } = await upload(`\uFEFF${file}`);
  expect(text).toContain("1 added, 0 changed, 0 as before.");
  expect(text).toMatch(/<td>3<\/td><td lang="en">Template ID<\/td>/u);
  expect(text).toMatch(/<td>4<\/td><td lang="en"><\/td><td lang="en">Its status is Rejected\./u);
  expect(text).toContain("Lines of the file that were not taken: 2.");
  expect(text).not.toContain("are shown");
  expect((await getDlt(world)).body.dlt.templates).toHaveLength(1);
  expect((await upload("a,b")).status).toBe(400);
  expect((await upload(new Uint8Array([0xff, 0xfe, 0x41]))).text).toContain("not UTF-8");
  expect((await visitor.submit("/dlt/import", new FormData())).text).toContain("Choose a CSV file.");
});

it("takes a file of the size that a browser declares", async () => {
  const { visitor, world } = await visit();
  const rows = Array.from(
    { length: 2_000 },
    (_, n) => `${1_107_000_000 + n},ACMEIN,Parcel ${n} leaves at {#var#}. - Acme`,
  );
  const file = `Template ID,Header,Content\n${rows.join("\n")}`;
  const body = `--b\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${file}\r\n--b--\r\n`;
  const headers = { origin: CONSOLE, "content-type": "multipart/form-data; boundary=b" };
  const upload = (length: number) =>
    visitor.send("/dlt/import", { method: "POST", body, headers: { ...headers, "content-length": String(length) } });
  const { status, text } = await upload(body.length);
  expect([status, text.includes("2,000 added")]).toEqual([200, true]);
  expect((await getDlt(world)).body.dlt.templates).toHaveLength(2_000);
  const large = await upload(6 * 1024 * 1024);
  expect([large.status, large.text.includes("This form is larger than 5 MiB.")]).toEqual([400, true]);
});

it("says how many lines of a file were not taken where it does not show them all", async () => {
  const { visitor } = await visit();
  const form = new FormData();
  const file = `Template ID,Header,Content\n${"12,ACMEIN,x\n".repeat(1_201)}`;
  form.set("file", new File([file], "templates.csv", { type: "text/csv" }));
  const { text } = await visitor.submit("/dlt/import", form);
  expect(text).toContain("Lines of the file that were not taken: 1,201.");
  expect(text).toContain("The first 200 are shown.");
  expect(text.match(/<td lang="en">Template ID<\/td>/gu)).toHaveLength(200);
});

it("tells a registry without templates from a search that finds none", async () => {
  const { visitor, world } = await visit();
  expect((await visitor.get("/dlt?q=zebra")).text).toContain("No templates yet. Import them from your portal");
  await putDlt(world);
  const { text } = await visitor.get("/dlt?q=zebra");
  expect(text).toContain("No template has these words");
  expect(text).not.toContain("No templates yet");
  expect((await visitor.get("/dlt")).text).not.toContain("No template has these words");
});

it("lists and searches many templates in pages", async () => {
  const { visitor, world } = await visit();
  const templates = Array.from({ length: 45 }, (_, at) => ({
    ...REGISTRY.templates[0],
    template_id: `11070000000000${100 + at}`,
    text: `Word${at} {#var#}`,
  }));
  await putDlt(world, { ...REGISTRY, templates });
  const pages = [await visitor.get("/dlt"), await visitor.get("/dlt?after=20"), await visitor.get("/dlt?after=40")];
  const found = pages.map(({ text }) => [...text.matchAll(/class="keytext">Word(\d+) /gu)].map(([, at]) => Number(at)));
  expect(found.flat()).toEqual(templates.map((_, at) => at));
  expect(pages.map(({ text }) => text.includes('rel="next"'))).toEqual([true, true, false]);
  expect((await visitor.get("/dlt?q=WORD44")).text.match(/class="keytext">Word/gu)).toHaveLength(1);
});

it("proposes templates of texts that were sent and fit none", async () => {
  const { visitor, world } = await visit();
  for (const name of ["Asha", "Ravi", "Meera"]) {
    await sendSms(world, { body: { message: `Dear ${name}, your parcel is with us. - Acme` } });
    await sendSms(world, { body: { message: `Order ${name} is packed. - Acme` } });
  }
  await putDlt(world);
  const { text } = await visitor.get("/dlt");
  expect(text).toContain("Dear {#var#} your parcel is with us. - Acme");
  expect(text).toContain("Sent 3 times");
  expect(text).not.toMatch(/<pre tabindex="0">Order/u);
});

it("shows the difference beside the text of a form that sends", async () => {
  const { visitor, world } = await visit();
  await putDlt(world);
  const form = { phone: "9876543210", message: "Order 5 is picked. - Acme", mode: "live" };
  const { status, text } = await visitor.submit("/send/sms", form);
  expect(status).toBe(400);
  expect(text).toContain("The template has “acked. - Acme” there, the text “icked. - Acme”.");
});

it("is the signed-in person's alone, and whole in Hindi", async () => {
  const { visitor, world } = inHindi(await visit());
  await putDlt(world, { ...REGISTRY, otp: { template_id: LOGIN } });
  hindi(await visitor.get("/dlt?done=saved"), 200);
  hindi(await visitor.submit("/dlt/test", { message: "नमस्ते", senderId: "ACMEIN" }), 200);
  hindi(await visitor.submit("/dlt/terms", { entity_id: "1", enforce: "on", otp: "", values: "" }), 400);
  hindi(await visitor.submit("/dlt/headers", { header: "बहुत", category: "otp" }), 400);
  hindi(await visitor.submit("/dlt/templates", { ...TEMPLATE, text: "{#नाम#}" }), 400);
  hindi(await visitor.submit("/dlt/templates/remove", { template_id: LOGIN }), 400);
  const other = await visit();
  expect((await other.visitor.get("/dlt")).text).not.toContain(PACKED);
});
