import { describe, expect, it } from "vitest";
import { configOf, parseConfig } from "../src/config/config.ts";
import { SECRET_NAMES } from "../src/config/settings.ts";
import { GATEWAY, LOCAL, PRODUCTION, SECRET, WHSEC, faultsOf } from "./world/settings.ts";

// The secrets and addresses of a service: what a deployed one must have, and what a local one must not.

/** Secrets that are signed with as whsec_ and Base64. */
const isWebhook = (name: string) => name === "CARRIER_HTTP_SECRET" || name === "ALERT_SECRET";
/** What else belongs to a secret. */
const besides = (name: string) => (name === "ALERT_SECRET" ? { ALERT_URL: "https://alerts.example.com" } : {});

describe("secrets", () => {
  it.each(["KEY_SECRET", "SEAL_SECRET", "OPERATOR_TOKEN"])("%s is required and has at least 32 characters", (name) => {
    expect(faultsOf({ ...PRODUCTION, [name]: undefined })).toEqual([`${name} is missing`]);
    expect(faultsOf({ ...PRODUCTION, [name]: "short" })).toEqual([`${name}: must have at least 32 characters`]);
  });

  it("reports everything that is missing at once, and never a value", () => {
    const faults = faultsOf({ SMS_URL: "a secret by mistake" });
    expect(faults).toContain("KEY_SECRET is missing");
    expect(faults).toContain("SEAL_SECRET is missing");
    expect(faults).toContain("OPERATOR_TOKEN is missing");
    expect(faults.join()).not.toContain("mistake");
  });

  it.each(SECRET_NAMES.filter((name) => !isWebhook(name)))("a demo %s is for local use only", (name) => {
    const demo = { [name]: `local-only-${SECRET}` };
    expect(() => parseConfig({ ...PRODUCTION, ...demo })).toThrow(`${name} is a demo secret`);
    expect(faultsOf({ ...LOCAL, ...demo })).toEqual([]);
  });

  it("a demo gateway secret is recognised by its decoded bytes", () => {
    const bytes = Buffer.from(`local-only-${SECRET}`);
    const demo = { ...GATEWAY, CARRIER_HTTP_SECRET: `whsec_${bytes.toString("base64")}` };
    expect(() => parseConfig({ ...PRODUCTION, ...demo })).toThrow(/^CARRIER_HTTP_SECRET is a demo secret/u);
    expect(faultsOf({ ...LOCAL, ...demo })).toEqual([]);
    const other = Buffer.from(`not-${bytes.toString()}`).toString("base64");
    expect(faultsOf({ ...PRODUCTION, ...GATEWAY, CARRIER_HTTP_SECRET: `whsec_${other}` })).toEqual([]);
  });

  it.each(["KEY_SECRET", "SEAL_SECRET"] as const)(
    "each secret of a %s that is a list is as strong, and no other's",
    (name) => {
      const other = `another-${SECRET}`;
      const listed = (second: string) => ({ ...PRODUCTION, [name]: `2:${second},1:${PRODUCTION[name]}` });
      expect(faultsOf(listed(other))).toEqual([]);
      const make = "make one with: openssl rand -hex 32";
      expect(faultsOf(listed("a".repeat(40)))).toEqual([`${name} (id 2) is too easy to guess`, make]);
      expect(faultsOf(listed(`local-only-${SECRET}`))).toEqual([`${name} (id 2) is a demo secret`, make]);
      expect(faultsOf(listed(PRODUCTION.OPERATOR_TOKEN))).toEqual([`${name} (id 2) and OPERATOR_TOKEN must differ`]);
      expect(faultsOf(listed("short"))).toEqual([`${name}: the secret with the id 2 must have at least 32 characters`]);
      expect(faultsOf({ ...LOCAL, [name]: `2:${other},2:${SECRET}` })).toEqual([`${name}: lists the id 2 twice`]);
    },
  );

  it("a gateway secret that is not valid Base64 is reported as a fault, not thrown", () => {
    // One character too many: no Base64 text has this length.
    expect(faultsOf({ ...PRODUCTION, ...GATEWAY, CARRIER_HTTP_SECRET: `whsec_${"a".repeat(33)}` })).toEqual([
      "CARRIER_HTTP_SECRET: must be whsec_ and the Base64 of at least 24 bytes",
    ]);
    expect(faultsOf({ ...PRODUCTION, OPERATOR_TOKEN: `whsec_!${SECRET}` })).toEqual([]);
  });

  const SECRETS = { ...GATEWAY, RAZORPAY_KEY_SECRET: `rzp-${SECRET}`, RAZORPAY_WEBHOOK_SECRET: `hook-${SECRET}` };

  it.each(SECRET_NAMES)("a deployed %s is not a pattern that is easy to guess", (name) => {
    const mark = isWebhook(name) ? "whsec_" : "";
    const weak = ["a".repeat(40), "abcdefghij".repeat(4), "aaaaaaabbbbbbbcccccccdddddddeeeeeeefffff"];
    for (const text of mark === "" ? [...weak, " ".repeat(40)] : weak) {
      const faults = faultsOf({ ...PRODUCTION, ...SECRETS, ...besides(name), [name]: mark + text });
      expect(faults, text).toEqual([`${name} is too easy to guess`, "make one with: openssl rand -hex 32"]);
      expect(faultsOf({ ...LOCAL, ...SECRETS, ...besides(name), [name]: mark + text })).toEqual([]);
    }
  });

  it("random ones of each usual form are strong enough", () => {
    const bytes = Uint8Array.from({ length: 32 }, (_, at) => (at * 89 + 7) % 256);
    for (const form of ["hex", "base64", "base64url"] as const) {
      const text = Buffer.from(bytes).toString(form);
      for (const name of SECRET_NAMES.filter((one) => !isWebhook(one))) {
        expect(faultsOf({ ...PRODUCTION, ...SECRETS, [name]: text })).toEqual([]);
      }
    }
  });

  it("no two of a deployed service are equal", () => {
    for (const [at, name] of SECRET_NAMES.entries()) {
      for (const other of SECRET_NAMES.slice(0, at)) {
        // In the form of the strictest one, which the others accept too.
        const both = { [name]: WHSEC, [other]: WHSEC, ...besides(name), ...besides(other) };
        const same = { ...PRODUCTION, ...SECRETS, ...both, CARRIER_HTTP_SECRET: WHSEC };
        const names = SECRET_NAMES.filter((one) => [name, other, "CARRIER_HTTP_SECRET"].includes(one));
        expect(faultsOf(same)).toEqual([`${names.join(" and ")} must differ`]);
      }
    }
  });
});

describe("base addresses", () => {
  const names = ["SMS_URL", "TTS_URL", "VOICE_URL", "OTP_URL", "CONSOLE_URL"];

  it.each(names)("a deployed %s is https", (name) => {
    expect(faultsOf({ ...PRODUCTION, [name]: "http://plain.example.com" })).toEqual([
      `${name} must be https: keys and sessions travel there`,
    ]);
    expect(faultsOf({ ...PRODUCTION, [name]: "HTTPS://other.example.com" })).toEqual([]);
  });

  it.each(names)("a local %s is on this machine", (name) => {
    for (const host of [
      "dastak.example",
      "localhost.example",
      "notlocalhost",
      "127.0.0.1.example",
      "10.0.0.1",
      "0.0.0.0",
      "[::]",
      "[::ffff:1.2.3.4]",
    ]) {
      for (const scheme of ["http", "https"]) {
        expect(faultsOf({ ...LOCAL, [name]: `${scheme}://${host}:9000` }), host).toEqual([
          `${name} must be on this machine (localhost, *.localhost or a loopback address), because ENVIRONMENT is local`,
        ]);
      }
    }
    for (const host of ["LOCALHOST", "a.b.localhost", "127.0.0.1", "127.1", "[::1]", "[0:0:0:0:0:0:0:1]"]) {
      expect(faultsOf({ ...LOCAL, [name]: `http://${host}:9000` }), host).toEqual([]);
    }
  });
});

it("refuses texts that end before messages do, and replies that outlive the messages of test mode", () => {
  expect(faultsOf({ ...PRODUCTION, TEXT_DAYS: "0.5" })).toEqual([expect.stringMatching(/^TEXT_DAYS must not end/u)]);
  expect(faultsOf({ ...PRODUCTION, IDEMPOTENCY_DAYS: "8" })).toEqual([
    expect.stringMatching(/^IDEMPOTENCY_DAYS must be at most TEST_DAYS/u),
  ]);
});

describe("configOf", () => {
  it("parses an environment once, and copies nothing else from it", () => {
    const env = { ...PRODUCTION, ACCOUNT: {}, OTHER: "x" };
    const config = configOf(env);
    expect(configOf(env)).toBe(config);
    expect(config).not.toHaveProperty("OTHER");
    expect(configOf({ ...env, SMS_URL: "https://other.example.com" }).SMS_URL).toBe("https://other.example.com");
  });
});
