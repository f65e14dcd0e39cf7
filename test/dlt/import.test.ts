import { describe, expect, it } from "vitest";
import { rowsOf } from "../../src/dlt/csv.ts";
import { newHeaders, readTemplates } from "../../src/dlt/import.ts";

const ID = "1107160000000000001";

const read = (file: string) => {
  const found = readTemplates(file);
  if (!("templates" in found)) throw new Error(JSON.stringify(found));
  return found;
};

/** A file of which so many rows are wrong. */
const wrongRows = (count: number) => `Template ID,Content,Header${"\n1".repeat(count)}`;

describe("a file of templates", () => {
  it.each([
    ["commas", `Template ID,Template Content,Header\n${ID},"Hi, {#var#}",ACMEIN`],
    ["semicolons", `Template ID;Template Content;Header\n${ID};Hi, {#var#};ACMEIN`],
    ["tabs", `Template ID\tTemplate Content\tHeader\n${ID}\tHi, {#var#}\tACMEIN`],
    [
      "a byte order mark and other line ends",
      `\uFEFFTemplate ID,Template Content,Header\r\n${ID},"Hi, {#var#}",ACMEIN\r\n`,
    ],
    [
      "columns by other names, in another order",
      `S.No,SENDER-ID,dlt_template id,message\r1,ACMEIN,${ID},"Hi, {#var#}"`,
    ],
  ])("is read with %s", (_, file) => {
    expect(read(file)).toEqual({
      templates: [{ templateId: ID, headers: ["ACMEIN"], category: "service_implicit", text: "Hi, {#var#}" }],
      skipped: [],
      errors: [],
    });
  });

  it.each([
    ["Service Implicit", "service_implicit"],
    ["service-explicit", "service_explicit"],
    ["OTP", "otp"],
    ["PROMOTIONAL", "promotional"],
    ["Transactional", "transactional"],
    ["SE", "service_explicit"],
    ["", "service_implicit"],
  ])("has the category %s as %s", (word, category) => {
    const file = `Template ID,Content,Headers,Communication Type\n${ID},Hi,ACMEIN | ACMEOT;ACMEIN,${word}`;
    expect(read(file).templates).toEqual([{ templateId: ID, headers: ["ACMEIN", "ACMEOT"], category, text: "Hi" }]);
  });

  it("keeps lines and quotes of a text, and reads <br> as a line", () => {
    const file = `Template ID,Content,Header\n${ID},"Hi ""{#var#}""\r\nfrom<br>Acme<BR/>!",ACMEIN`;
    expect(read(file).templates[0]?.text).toBe('Hi "{#var#}"\nfrom\nAcme\n!');
  });

  it("takes good rows though others are wrong, and says of each where it is and why", () => {
    const rows = [
      "Template ID,Content,Header,Category,Status",
      `${ID},"two`,
      'lines",ACMEIN,OTP,Approved',
      "1.10717E+18,Hi,ACMEIN,OTP,Active",
      `${ID},Hi,ACMEIN,OTP,`,
      "1107160000000000003,Hi {#what#},ACMEIN,OTP,",
      "1107160000000000004,{#var#},ACMEIN,OTP,",
      "1107160000000000005,Hi,,OTP,",
      "1107160000000000006,Hi,ACMEIN,Music,",
      "12,Hi,ACMEIN,OTP,",
      "1107160000000000007,Hi,ACMEIN,OTP,Blacklisted",
      "1107160000000000008,Hi,ACMEIN,OTP,Registered on DLT",
    ];
    const { templates, skipped, errors } = read(rows.join("\n"));
    expect(templates.map(({ templateId }) => templateId)).toEqual([ID, "1107160000000000008"]);
    expect(skipped).toEqual([{ line: 11, reason: "Its status is Blacklisted." }]);
    expect(errors.map(({ line, column }) => [line, column])).toEqual([
      [4, "Template ID"],
      [5, "Template ID"],
      [6, "Template Content"],
      [7, "Template Content"],
      [8, "Header"],
      [9, "Template Type"],
      [10, "Template ID"],
    ]);
    expect(errors[0]?.error).toContain("1.10717E+18 is what a spreadsheet made of the id");
  });

  it("is refused where it has more rows than could each be answered with a sentence", () => {
    expect(read(wrongRows(50_000)).errors).toHaveLength(50_000);
    expect(readTemplates(wrongRows(2_000_000))).toEqual({ tooMany: "The file has more than 50,000 rows." });
  });

  it("may be nothing but separators, or one quote that nothing closes, in as many bytes as are taken", () => {
    const size = 5 * 1024 * 1024;
    expect(readTemplates(";".repeat(size))).toHaveProperty("missing");
    expect(readTemplates(`"${"a".repeat(size)}`)).toHaveProperty("missing");
    expect(readTemplates(`"${'""'.repeat(size / 2)}`)).toHaveProperty("missing");
    const wide = `Template ID,Content,Header\n${ID},Hi,ACMEIN${",".repeat(size)}`;
    expect(read(wide).templates).toHaveLength(1);
    expect([...rowsOf(wide)].map(({ cells }) => cells.length)).toEqual([3, 500]);
  });

  it.each(["", "a,b,c\n1,2,3", "Template ID,Content\n1,2"])("without a column that it needs is refused: %j", (file) => {
    expect(readTemplates(file)).toHaveProperty("missing");
  });
});

const template = (headers: string[], category: "otp" | "promotional") => ({
  templateId: ID,
  headers,
  category,
  text: "Hi",
});

describe("headers that an import adds", () => {
  it("are those that are not registered, each once, with the category of their first template", () => {
    const known = [{ header: "ACMEIN", category: "otp" as const }];
    expect(newHeaders([template(["ACMEIN", "ACMEOT"], "otp"), template(["ACMEOT"], "promotional")], known)).toEqual([
      { header: "ACMEOT", category: "otp" },
    ]);
  });
});
