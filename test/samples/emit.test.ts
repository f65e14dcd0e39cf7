import { describe, expect, it } from "vitest";
import { samplesOf } from "../../src/samples/emit.ts";
import type { SampleRequest } from "../../src/samples/sample.ts";

// That the samples run is tested by their interpreters (test/process/docs-samples.test.ts); here is what they contain.

const REQUEST: SampleRequest = {
  method: "POST",
  url: "https://sms.example/send-sms",
  auth: { name: "Authorization", before: "Bearer " },
  key: null,
  body: { phone: "9876543210", message: `It's "so" \\ $HOME #{x}` },
  idempotencyKey: "order-4711",
};

const code = (request: SampleRequest, language: string) =>
  samplesOf(request, true).find((sample) => sample.language === language)?.code ?? "";

describe("samples", () => {
  it("are in seven languages where it costs money, and in four elsewhere", () => {
    expect(samplesOf(REQUEST, true)).toHaveLength(7);
    expect(samplesOf(REQUEST, false).map(({ language }) => language)).toEqual(["curl", "node", "python", "php"]);
  });

  it("contain the reader's key in each language, or read it from the environment", () => {
    for (const { language, code: program } of samplesOf({ ...REQUEST, key: "dsk_test_abc" }, true)) {
      expect(program.split("dsk_test_abc"), language).toHaveLength(2);
      expect(program, language).not.toContain("DASTAK_KEY");
    }
    for (const { language, code: program } of samplesOf(REQUEST, true)) {
      expect(program.split("DASTAK_KEY"), language).toHaveLength(2);
    }
  });

  it("use https where the address does", () => {
    expect(code(REQUEST, "ruby")).toContain("use_ssl: true");
    expect(code({ ...REQUEST, url: "http://localhost:8787/x" }, "ruby")).not.toContain("use_ssl");
  });

  it("say in PHP why no reply came", () => {
    expect(code(REQUEST, "php")).toContain("echo $reply === false ? curl_error($request) : $reply;");
  });

  it("keep a text as it is, whatever the language gives a meaning to", () => {
    expect(code(REQUEST, "curl")).toContain(
      String.raw`'{"phone":"9876543210","message":"It'\''s \"so\" \\ $HOME #{x}"}'`,
    );
    expect(code(REQUEST, "php")).toContain(String.raw`'It\'s "so" \\ $HOME #{x}'`);
    expect(code(REQUEST, "ruby")).toContain(String.raw`"It's \"so\" \\ $HOME \#{x}"`);
    expect(code(REQUEST, "java")).toContain(String.raw`"It's \\"so\\" \\\\ $HOME #{x}"`);
  });
});
