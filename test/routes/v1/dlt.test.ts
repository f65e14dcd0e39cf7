import { describe, expect, it } from "vitest";
import { ENTITY, LOGIN, PACKED, REGISTRY, SALE, getDlt, importDlt, putDlt, testModeOf } from "../../world/dlt.ts";
import { expectFailure } from "../../world/operating.ts";
import { openWorld, sendSms } from "../../world/world.ts";

// The registry of an account (contract §17.1) and the import of templates (§17.3).

describe("the registry", () => {
  it("is off and empty at first", async () => {
    const { status, body } = await getDlt(await openWorld());
    const empty = { entity_id: null, enforce: "off", headers: [], templates: [], otp: null, updated_at: null };
    expect([status, body]).toEqual([200, { success: true, dlt: empty }]);
  });

  it("is what was put, for live and test keys", async () => {
    const world = await openWorld();
    const test = await testModeOf(world);
    const otp = { template_id: LOGIN, values: ["{otp}", "{brand}"] };
    const reply = await putDlt(test, { ...REGISTRY, otp: { template_id: LOGIN } });
    expect(reply.body.dlt).toEqual({ ...REGISTRY, otp, updated_at: expect.stringMatching(/Z$/u) });
    for (const one of [world, test]) expect((await getDlt(one)).body).toEqual(reply.body);
    for (const one of [world, test]) expect((await sendSms(one)).body.code).toBe("dlt_mismatch");
    // What was read can be sent again.
    const again = await putDlt(world, { ...reply.body.dlt, enforce: "off" });
    expect(Date.parse(again.body.dlt.updated_at)).toBeGreaterThan(Date.parse(reply.body.dlt.updated_at));
    for (const one of [world, test]) expect((await sendSms(one)).status).toBe(200);
  });

  const [packed, sale] = REGISTRY.templates;
  it.each([
    ["entity_id", { entity_id: null }],
    ["entity_id", { entity_id: "123456789" }],
    ["entity_id", { entity_id: 1_201_159 }],
    ["enforce", { enforce: "always" }],
    [
      "headers[1].header",
      { headers: [...REGISTRY.headers.slice(0, 1), { header: "much too long a header", category: "otp" }] },
    ],
    ["headers[2].header", { headers: [...REGISTRY.headers, { header: "ACMEIN", category: "otp" }] }],
    ["headers[0].category", { headers: [{ header: "ACMEIN", category: "offers" }] }],
    ["templates[1].template_id", { templates: [packed, { ...sale, template_id: PACKED }] }],
    ["templates[0].template_id", { templates: [{ ...packed, template_id: "12" }] }],
    ["templates[1].text", { templates: [packed, { ...sale, text: "{#var#}{#num#}" }] }],
    ["templates[1].text", { templates: [packed, { ...sale, text: "Hi {#name#}" }] }],
    ["templates[1].text", { templates: [packed, { ...sale, text: "a".repeat(1_001) }] }],
    ["templates[0].headers", { templates: [{ ...packed, headers: [] }] }],
    ["templates[0].headers[1]", { templates: [{ ...packed, headers: ["ACMEIN", "acmein"] }] }],
    ["templates[0].more", { templates: [{ ...packed, more: 1 }] }],
    ["otp.template_id", { otp: { template_id: "1107000000000000009" } }],
    ["otp.values", { otp: { template_id: LOGIN, values: ["{otp}"] } }],
    ["otp.values", { otp: { template_id: LOGIN, values: ["1234", "{brand}"] } }],
    ["otp.values", { otp: { template_id: LOGIN, values: ["ten", "{otp}"] } }],
    ["headers", { headers: Array.from({ length: 501 }, (_, at) => ({ header: `H${at}`, category: "otp" })) }],
  ])("that is wrong in %s is refused, and nothing changes", async (param, wrong) => {
    const world = await openWorld();
    await putDlt(world);
    const before = await getDlt(world);
    const reply = await putDlt(world, { ...REGISTRY, ...wrong });
    expectFailure(reply, 400, "invalid_request");
    expect(reply.body.param).toBe(param);
    expect((await getDlt(world)).body).toEqual(before.body);
  });

  it("may have 10,000 templates of 1,000 bytes together with their ids", async () => {
    const world = await openWorld();
    const templates = Array.from({ length: 10_000 }, (_, at) => ({
      template_id: String(1107000000000000000n + BigInt(at)),
      headers: ["ACMEIN"],
      category: "otp",
      text: `${at} {#var#} ${"a".repeat(800)}`,
    }));
    expect((await putDlt(world, { ...REGISTRY, templates })).status).toBe(200);
    const { body } = await getDlt(world);
    expect(body.dlt.templates).toEqual(templates);
    const one = { template_id: "1107999999999999999", headers: ["ACMEIN"], category: "otp", text: "one more" };
    const reply = await putDlt(world, { ...REGISTRY, templates: [...templates, one] });
    expect([reply.status, reply.body.param]).toEqual([400, "templates"]);
  });
});

describe("the import", () => {
  const CSV = [
    "Template ID,Header,Template Content,Template Type,Status",
    `${PACKED},ACMEIN,Order {#var#} is on its way.,Service Implicit,Approved`,
    "1107000000000000005,ACMENW,New at Acme: {#var#},SE,Registered",
    "1107000000000000006,ACMEIN,Gone,SI,Rejected",
    "1.10717E+18,ACMEIN,Broken {#var#},SI,Approved",
    `${SALE},"600123,ACMEIN",Flat {#numeric#}% off at Acme!,Promotional,Approved`,
  ].join("\r\n");

  it("adds and changes the good rows, and says what is wrong with the others", async () => {
    const world = await openWorld();
    const test = await testModeOf(world);
    await putDlt(world);
    const { status, body } = await importDlt(test, CSV, "text/csv; charset=utf-8");
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        added: 1,
        changed: 1,
        unchanged: 1,
        skipped: [{ line: 4, reason: "Its status is Rejected." }],
        errors: [{ line: 5, column: "Template ID", error: expect.stringContaining("spreadsheet") }],
      },
    ]);
    const { dlt } = (await getDlt(world)).body;
    expect(dlt.headers.at(-1)).toEqual({ header: "ACMENW", category: "service_explicit" });
    expect(dlt.templates.map((one: { template_id: string }) => one.template_id)).toEqual([
      PACKED,
      SALE,
      LOGIN,
      "1107000000000000005",
    ]);
    expect(dlt).toMatchObject({ entity_id: ENTITY, enforce: "on" });
    for (const one of [world, test]) {
      expect((await sendSms(one, { body: { message: "Order 5 is on its way." } })).status).toBe(200);
    }
  });

  it("takes CSV alone, names a column that is missing, and leaves a broken template of codes out", async () => {
    const world = await openWorld();
    expectFailure(await importDlt(world, "{}", "application/json"), 415, "unsupported_media_type");
    const missing = await importDlt(world, "Template ID,Header\n1,2");
    expect([missing.status, missing.body.param]).toEqual([400, "csv"]);
    expect(missing.body.error).toContain("Template Content");
    // Text that would be JSON nested too deep is a text like any other.
    expect((await importDlt(world, `Template ID,Header,Content\n${PACKED},ACMEIN,${"[".repeat(200)}`)).body.added).toBe(
      1,
    );
    await putDlt(world, { ...REGISTRY, otp: { template_id: LOGIN } });
    const changed = await importDlt(world, `Template ID,Header,Content\n${LOGIN},ACMEIN,{#num#} alone`);
    expect([changed.status, changed.body.param]).toEqual([400, "otp.values"]);
    expect((await getDlt(world)).body.dlt.templates).toEqual(REGISTRY.templates);
  });
});
