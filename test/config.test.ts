import { describe, expect, it } from "vitest";
import { ConfigError, SECRET_NAMES, configOf, parseConfig, paymentsOf, signupCredit, isLogged } from "../src/config.ts";

const SECRET = "0123456789abcdef0123456789abcdef";
const WHSEC = `whsec_${Buffer.from("a gateway's key of 32 bytes, ok?").toString("base64")}`;

const PRODUCTION = {
  SMS_URL: "https://sms.example.com",
  TTS_URL: "https://tts.example.com",
  VOICE_URL: "https://voice.example.com",
  OTP_URL: "https://otp.example.com",
  CONSOLE_URL: "https://console.example.com",
  KEY_SECRET: `key-${SECRET}`,
  SEAL_SECRET: `seal-${SECRET}`,
  OPERATOR_TOKEN: `operator-${SECRET}`,
};

const GATEWAY = { CARRIER: "http", CARRIER_HTTP_URL: "https://gateway.example.com/m", CARRIER_HTTP_SECRET: WHSEC };

/** The faults for which a configuration is refused; any error other than a ConfigError is rethrown. */
function faultsOf(variables: Record<string, unknown>): string[] {
  try {
    parseConfig(variables);
  } catch (problem) {
    if (problem instanceof ConfigError) return problem.message.split("; ");
    throw problem;
  }
  return [];
}

const without = (name: string) => ({ ...PRODUCTION, [name]: undefined });

describe("Cloudflare Access", () => {
  const ACCESS = {
    ACCESS_TEAM_DOMAIN: "https://team.cloudflareaccess.com/",
    ACCESS_AUD: "0123456789abcdef".repeat(4),
    OPERATORS: "Alice@example.com=admin, *@example.com=viewer",
  };

  it("is configured by three settings together", () => {
    expect(parseConfig({ ...PRODUCTION, ...ACCESS })).toMatchObject({
      ACCESS_TEAM_DOMAIN: "https://team.cloudflareaccess.com",
      OPERATORS: [
        { who: "alice@example.com", role: "admin" },
        { who: "*@example.com", role: "viewer" },
      ],
    });
    for (const name of ["ACCESS_TEAM_DOMAIN", "ACCESS_AUD", "OPERATORS"]) {
      const faults = faultsOf({ ...PRODUCTION, ...ACCESS, [name]: undefined });
      expect(faults).toEqual([`${name} is missing: ACCESS_TEAM_DOMAIN, ACCESS_AUD, OPERATORS belong together`]);
    }
  });

  it.each([
    ["ACCESS_TEAM_DOMAIN", "http://team.cloudflareaccess.com"],
    ["ACCESS_TEAM_DOMAIN", "https://team.cloudflareaccess.com/path"],
    ["ACCESS_TEAM_DOMAIN", "team"],
    ["ACCESS_AUD", "my application"],
    ["OPERATORS", "alice@example.com=owner"],
    ["OPERATORS", " , "],
  ])("refuses %s as %s", (name, value) => {
    const faults = faultsOf({ ...PRODUCTION, ...ACCESS, [name]: value });
    expect(faults.every((fault) => fault.startsWith(`${name}: `))).toBe(true);
    expect(faults).not.toEqual([]);
  });
});

describe("defaults", () => {
  it("are those of contract §12", () => {
    expect(parseConfig(PRODUCTION)).toEqual({
      ...PRODUCTION,
      ENVIRONMENT: "production",
      CARRIER: "sim",
      CARRIER_TIMEOUT_MS: 10_000,
      RETRY_BASE_MS: 2_000,
      ATTEMPTS_MAX: 6,
      VALIDITY_SMS_MS: 86_400_000,
      VALIDITY_OTP_MS: 300_000,
      VALIDITY_CALL_MS: 3_600_000,
      UNKNOWN_WINDOW_MS: 86_400_000,
      RECEIPT_WINDOW_MS: 259_200_000,
      SWEEP_MS: 30_000,
      AUDIO_URL_TTL_MS: 86_400_000,
      DIRECT_DISPATCH: "on",
      DISPATCH_CONCURRENCY: 50,
      RAZORPAY_URL: "https://api.razorpay.com",
      SELLER_NAME: "Dastak",
      SELLER_ADDRESS: "",
      SELLER_SAC: "998413",
      GST_PERCENT: 18,
      INVOICE_PREFIX: "DK",
    });
  });

  it("give new accounts 100 coins locally and none elsewhere, unless the variable says so", () => {
    const local = { ...PRODUCTION, ENVIRONMENT: "local" };
    expect(signupCredit(parseConfig(local))).toBe(100);
    expect(signupCredit(parseConfig(PRODUCTION))).toBe(0);
    expect(signupCredit(parseConfig({ ...local, SIGNUP_CREDIT_COINS: "0" }))).toBe(0);
    expect(signupCredit(parseConfig({ ...PRODUCTION, SIGNUP_CREDIT_COINS: "25" }))).toBe(25);
  });
});

it("logs every request locally, only failures elsewhere, and otherwise what LOG_REQUESTS says", () => {
  const [deployed, local] = [PRODUCTION, { ...PRODUCTION, ENVIRONMENT: "local" }].map((of) => parseConfig(of));
  if (!deployed || !local) throw new Error("both parse");
  expect([200, 303, 400, 401, 500].map((status) => isLogged(deployed, status))).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
  expect([200, 303, 400].map((status) => isLogged(local, status))).toEqual([true, true, true]);
  expect(isLogged({ ...deployed, LOG_REQUESTS: "all" }, 200)).toBe(true);
  expect(isLogged({ ...local, LOG_REQUESTS: "failures" }, 200)).toBe(false);
});

describe("variables", () => {
  it("are read from text", () => {
    const config = parseConfig({ ...PRODUCTION, ...GATEWAY, ATTEMPTS_MAX: "3", SWEEP_MS: "500" });
    expect(config).toMatchObject({ ...GATEWAY, ATTEMPTS_MAX: 3, SWEEP_MS: 500 });
  });

  it("accept base addresses with a path, without the trailing slash", () => {
    const config = parseConfig({ ...PRODUCTION, SMS_URL: "https://one.example.com/sms/" });
    expect(config.SMS_URL).toBe("https://one.example.com/sms");
  });

  it.each([
    ["ATTEMPTS_MAX", "0"],
    ["ATTEMPTS_MAX", "1.5"],
    ["ATTEMPTS_MAX", "many"],
    ["CARRIER_TIMEOUT_MS", "-1"],
    ["CARRIER_TIMEOUT_MS", "60001"],
    ["DISPATCH_CONCURRENCY", ""],
    ["SIGNUP_CREDIT_COINS", "-1"],
    ["ENVIRONMENT", "staging"],
    ["CARRIER", "pigeon"],
    ["SMS_URL", "sms.example.com"],
    ["SMS_URL", "ftp://sms.example.com"],
    ["SMS_URL", "https://sms.example.com/?a=1"],
    ["CARRIER_HTTP_URL", "not an address"],
    ["CARRIER_HTTP_SECRET", SECRET],
    ["CARRIER_HTTP_SECRET", "whsec_c2hvcnQ="],
  ])("%s=%j is refused by name", (name, value) => {
    const faults = faultsOf({ ...PRODUCTION, [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(new RegExp(`^${name}: `, "u"));
  });

  it.each(["SMS_URL", "TTS_URL", "VOICE_URL", "OTP_URL", "CONSOLE_URL"])("%s is required", (name) => {
    expect(faultsOf(without(name))).toEqual([`${name} is missing`]);
  });
});

describe("secrets", () => {
  it.each(["KEY_SECRET", "SEAL_SECRET", "OPERATOR_TOKEN"])("%s is required and has at least 32 characters", (name) => {
    expect(faultsOf(without(name))).toEqual([`${name} is missing`]);
    expect(faultsOf({ ...PRODUCTION, [name]: "short" })).toEqual([`${name}: must have at least 32 characters`]);
  });

  it("reports everything that is missing at once, and never a value", () => {
    const faults = faultsOf({ SMS_URL: "a secret by mistake" });
    expect(faults).toContain("KEY_SECRET is missing");
    expect(faults).toContain("SEAL_SECRET is missing");
    expect(faults).toContain("OPERATOR_TOKEN is missing");
    expect(faults.join()).not.toContain("mistake");
  });

  it.each(SECRET_NAMES.filter((name) => name !== "CARRIER_HTTP_SECRET"))("a demo %s is for local use only", (name) => {
    const demo = { ...PRODUCTION, [name]: `local-only-${SECRET}` };
    expect(() => parseConfig(demo)).toThrow(`${name} is a demo secret`);
    expect(faultsOf({ ...demo, ENVIRONMENT: "local" })).toEqual([]);
  });

  it("a demo gateway secret is recognised by its decoded bytes", () => {
    const bytes = Buffer.from(`local-only-${SECRET}`);
    const demo = { ...PRODUCTION, ...GATEWAY, CARRIER_HTTP_SECRET: `whsec_${bytes.toString("base64")}` };
    expect(() => parseConfig(demo)).toThrow(/^CARRIER_HTTP_SECRET is a demo secret/u);
    expect(faultsOf({ ...demo, ENVIRONMENT: "local" })).toEqual([]);
    const other = Buffer.from(`not-${bytes.toString()}`).toString("base64");
    expect(faultsOf({ ...demo, CARRIER_HTTP_SECRET: `whsec_${other}` })).toEqual([]);
  });

  it("a gateway secret that is not valid Base64 is reported as a fault, not thrown", () => {
    // One character too many: no Base64 text has this length.
    expect(faultsOf({ ...PRODUCTION, ...GATEWAY, CARRIER_HTTP_SECRET: `whsec_${"a".repeat(33)}` })).toEqual([
      "CARRIER_HTTP_SECRET: must be whsec_ and the Base64 of at least 24 bytes",
    ]);
    expect(faultsOf({ ...PRODUCTION, OPERATOR_TOKEN: `whsec_!${SECRET}` })).toEqual([]);
  });
});

describe("settings that conflict", () => {
  it("are refused: two bases at one address, one secret for two purposes, plain http to the gateway", () => {
    expect(faultsOf({ ...PRODUCTION, OTP_URL: PRODUCTION.SMS_URL })).toEqual([
      "the five base addresses must differ, by host or by path",
    ]);
    expect(faultsOf({ ...PRODUCTION, OTP_URL: `${PRODUCTION.SMS_URL}/otp` })).toEqual([]);
    expect(faultsOf({ ...PRODUCTION, OPERATOR_TOKEN: PRODUCTION.SEAL_SECRET })).toEqual([
      "KEY_SECRET, SEAL_SECRET and OPERATOR_TOKEN must differ",
    ]);
    const open = { ...PRODUCTION, ...GATEWAY, CARRIER_HTTP_URL: "http://gateway.example.com/m" };
    expect(faultsOf(open)).toEqual(["CARRIER_HTTP_URL must be https: texts and one-time passwords travel there"]);
    expect(faultsOf({ ...open, ENVIRONMENT: "local" })).toEqual([]);
  });
});

describe("the http carrier", () => {
  it("needs an address and a secret", () => {
    expect(faultsOf({ ...PRODUCTION, ...GATEWAY })).toEqual([]);
    expect(faultsOf({ ...PRODUCTION, ...GATEWAY, CARRIER_HTTP_URL: undefined })).toEqual([
      "CARRIER_HTTP_URL is missing, and CARRIER is http",
    ]);
    expect(faultsOf({ ...PRODUCTION, CARRIER: "http" })).toEqual([
      "CARRIER_HTTP_URL is missing, and CARRIER is http",
      "CARRIER_HTTP_SECRET is missing, and CARRIER is http",
    ]);
  });
});

describe("payments", () => {
  const razorpay = {
    PAYMENTS: "razorpay",
    RAZORPAY_KEY_ID: "rzp_live_1",
    RAZORPAY_KEY_SECRET: "a key secret",
    RAZORPAY_WEBHOOK_SECRET: "a webhook secret",
  };
  const seller = { SELLER_GSTIN: "29AAGCB7383J1Z4", SELLER_ADDRESS: "1 MG Road" };

  it("are off in production and in the sandbox locally, unless the variable says so", () => {
    expect(paymentsOf(parseConfig(PRODUCTION))).toBe("none");
    expect(paymentsOf(parseConfig({ ...PRODUCTION, ENVIRONMENT: "local" }))).toBe("sandbox");
    expect(paymentsOf(parseConfig({ ...PRODUCTION, ENVIRONMENT: "local", PAYMENTS: "none" }))).toBe("none");
    expect(paymentsOf(parseConfig({ ...PRODUCTION, ...razorpay }))).toBe("razorpay");
  });

  it("by Razorpay require its key id, both secrets, and https", () => {
    for (const name of ["RAZORPAY_KEY_ID", "RAZORPAY_KEY_SECRET", "RAZORPAY_WEBHOOK_SECRET"]) {
      expect(faultsOf({ ...PRODUCTION, ...razorpay, [name]: undefined })).toEqual([
        `${name} is missing, and PAYMENTS is razorpay`,
      ]);
    }
    expect(faultsOf({ ...PRODUCTION, ...razorpay, RAZORPAY_URL: "http://razorpay.test" })).toEqual([
      "RAZORPAY_URL must be https: the key secret travels there",
    ]);
  });

  it("in the sandbox give credit without money, so a deployed service refuses the setting", () => {
    expect(faultsOf({ ...PRODUCTION, PAYMENTS: "sandbox" })).toEqual([
      "PAYMENTS is sandbox, which gives credit without money",
    ]);
  });

  it("need valid seller details for invoices", () => {
    expect(faultsOf({ ...PRODUCTION, ...seller, GST_PERCENT: "2.5", INVOICE_PREFIX: "A1" })).toEqual([]);
    expect(faultsOf({ ...PRODUCTION, ...seller, SELLER_ADDRESS: undefined })).toEqual([
      "SELLER_ADDRESS is missing, and SELLER_GSTIN is there",
    ]);
    for (const [name, value, fault] of [
      ["SELLER_GSTIN", "29AAGCB7383J1Z5", "must be a GSTIN: 15 characters, of which the last proves the others"],
      ["SELLER_SAC", "99", "must be a service accounting code of 6 digits"],
      ["GST_PERCENT", "0.125", "must have two decimals at most"],
      ["INVOICE_PREFIX", "LONG", "must be 1 to 3 capital letters or digits"],
    ] as const) {
      expect(faultsOf({ ...PRODUCTION, ...seller, [name]: value })).toEqual([`${name}: ${fault}`]);
    }
  });
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
