import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { LANGUAGES } from "../../src/samples/sample.ts";
import type { Language } from "../../src/samples/sample.ts";
import { gatherTexts } from "../../scripts/guides.mjs";
import { isInstalled, runSample } from "./interpreters.ts";

// The samples that verify a webhook's signature, each run by its interpreter over deliveries that are genuine and not.

const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, so").toString("base64")}`;
const OTHER = `whsec_${Buffer.from("another secret, of thirty-2 byte").toString("base64")}`;
const BODY = '{"type":"message.delivered","data":{"to":"+919876543210","name":"नमस्ते 🙏"}}';

interface Case {
  headers: Record<string, string>;
  body: string;
  genuine: boolean;
}

const headersOf = (signature: string, at: Date) => ({
  "webhook-id": "evt_1",
  "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
  "webhook-signature": signature,
});

/** Deliveries, signed by another implementation of Standard Webhooks. */
function cases(): Case[] {
  const now = new Date();
  const old = new Date(now.getTime() - 10 * 60_000);
  const signed = (secret: string, at: Date) => new Webhook(secret).sign("evt_1", at, BODY);
  const good = signed(SECRET, now);
  const bare = createHmac("sha256", "")
    .update(`evt_1.${Math.floor(now.getTime() / 1000)}.${BODY}`)
    .digest("base64");
  return [
    { headers: headersOf(good, now), body: BODY, genuine: true },
    // While a secret is rotated there are two signatures.
    { headers: headersOf(`${signed(OTHER, now)} ${good}`, now), body: BODY, genuine: true },
    { headers: headersOf(good, now), body: BODY.replace("delivered", "failed"), genuine: false },
    { headers: headersOf(signed(OTHER, now), now), body: BODY, genuine: false },
    { headers: headersOf(signed(SECRET, old), old), body: BODY, genuine: false },
    { headers: headersOf(`v1,${bare}`, now), body: BODY, genuine: false },
    { headers: headersOf("", now), body: BODY, genuine: false },
    { headers: { ...headersOf(good, now), "webhook-timestamp": "soon" }, body: BODY, genuine: false },
    { headers: {}, body: BODY, genuine: false },
  ];
}

const J = JSON.stringify;

/** Appends to a sample what prints `true` or `false` for each case, one a line; reads them from cases.json or as literals. */
const DRIVERS: Record<
  Exclude<Language, "curl">,
  (sample: string, all: Case[]) => { code: string; files?: Record<string, string> }
> = {
  node: (sample, all) => ({
    code: `${sample}\nfor (const { headers, body } of ${J(all)}) console.log(isGenuine(${J(SECRET)}, headers, body));`,
  }),
  python: (sample, all) => ({
    code: `${sample}\n\nimport json\nfor one in json.load(open("cases.json")):\n    print(str(is_genuine(${J(SECRET)}, one["headers"], one["body"].encode())).lower())`,
    files: { "cases.json": J(all) },
  }),
  php: (sample, all) => ({
    code: `${sample}\nforeach (json_decode(file_get_contents('cases.json'), true) as $one) {\n  echo json_encode(isGenuine('${SECRET}', $one['headers'], $one['body'])), "\\n";\n}`,
    files: { "cases.json": J(all) },
  }),
  ruby: (sample, all) => ({
    code: `${sample}\nrequire "json"\nJSON.parse(File.read("cases.json")).each { |one| puts genuine?("${SECRET}", one["headers"], one["body"]) }`,
    files: { "cases.json": J(all) },
  }),
  go: (sample, all) => ({
    code: sample,
    files: {
      "cases.json": J(all),
      "driver.go": `package main\n\nimport (\n\t"encoding/json"\n\t"fmt"\n\t"net/http"\n\t"os"\n)\n\nfunc main() {\n\ttext, _ := os.ReadFile("cases.json")\n\tvar all []struct {\n\t\tHeaders map[string]string\n\t\tBody    string\n\t}\n\tif err := json.Unmarshal(text, &all); err != nil {\n\t\tpanic(err)\n\t}\n\tfor _, one := range all {\n\t\theaders := http.Header{}\n\t\tfor name, value := range one.Headers {\n\t\t\theaders.Set(name, value)\n\t\t}\n\t\tfmt.Println(isGenuine("${SECRET}", headers, []byte(one.Body)))\n\t}\n}\n`,
    },
  }),
  java: (sample, all) => {
    const maps = all.map(
      ({ headers, body }) =>
        `System.out.println(Webhook.isGenuine(${J(SECRET)}, Map.of(${Object.entries(headers)
          .flat()
          .map((text) => J(text))
          .join(", ")}), ${J(body)}));`,
    );
    // The first class of a source file is the one that is launched.
    const main = `class Main {\n    public static void main(String[] args) throws Exception {\n${maps.join("\n")}\n    }\n}\n\n`;
    return { code: sample.replace("class Webhook", `${main}class Webhook`) };
  },
};

describe("the samples that verify a webhook", () => {
  for (const { language, code } of gatherTexts().verify) {
    if (language === "curl") continue;
    it.skipIf(!isInstalled(language))(`tell what is genuine in ${LANGUAGES[language].title}`, async () => {
      const all = cases();
      const driven = DRIVERS[language](code, all);
      const output = await runSample(language, driven.code, { files: driven.files ?? {} });
      expect(output.trim().split("\n")).toEqual(all.map(({ genuine }) => String(genuine)));
    });
  }
});
