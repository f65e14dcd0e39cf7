import { describe, expect, it } from "vitest";
import { isLogged, parseConfig, paymentsOf, signupCredit } from "../src/config/config.ts";
import { secretsOf } from "../src/crypto/secrets.ts";
import { PLANS } from "../src/money/plans.ts";
import { GATEWAY, LOCAL, PRODUCTION, SECRET, faultsOf } from "./world/settings.ts";

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
    const { KEY_SECRET, SEAL_SECRET, ...config } = parseConfig(PRODUCTION);
    expect([KEY_SECRET, SEAL_SECRET]).toEqual([PRODUCTION.KEY_SECRET, PRODUCTION.SEAL_SECRET].map(secretsOf));
    const { KEY_SECRET: _key, SEAL_SECRET: _seal, ...given } = PRODUCTION;
    expect(config).toEqual({
      ...given,
      ENVIRONMENT: "production",
      CARRIER: "sim",
      CARRIER_HTTP_DEDUPES: "off",
      TTS: "none",
      TTS_TIMEOUT_MS: 5_000,
      CARRIER_TIMEOUT_MS: 10_000,
      BREAKER_FAILURES: 5,
      BREAKER_OPEN_MS: 30_000,
      RETRY_BASE_MS: 2_000,
      ATTEMPTS_MAX: 6,
      VALIDITY_SMS_MS: 86_400_000,
      VALIDITY_OTP_MS: 300_000,
      VALIDITY_CALL_MS: 3_600_000,
      UNKNOWN_WINDOW_MS: 86_400_000,
      RECEIPT_WINDOW_MS: 259_200_000,
      SWEEP_MS: 30_000,
      QUOTE_TTL_MS: 600_000,
      EVENTS_KEPT_MS: 30 * 86_400_000,
      WEBHOOK_TIMEOUT_MS: 15_000,
      WEBHOOK_LADDER_MS: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((sec) => sec * 1_000),
      WEBHOOK_DEAD_MS: 120 * 3_600_000,
      AUDIO_URL_TTL_MS: 86_400_000,
      RECORDINGS_MAX: 200,
      HISTORY_BYTES_MAX: 10_000_000_000,
      RECORDINGS_BYTES_MAX: 500_000_000,
      TEST_RECORDINGS_MAX: 20,
      TEST_RECORDINGS_BYTES_MAX: 50_000_000,
      HISTORY_DAYS: 400,
      TEXT_DAYS: 30,
      TEST_DAYS: 7,
      IDEMPOTENCY_DAYS: 7,
      TEST_RECIPIENTS_PER_DAY: 20_000,
      DIRECT_DISPATCH: "on",
      DISPATCH_CONCURRENCY: 50,
      RAZORPAY_URL: "https://api.razorpay.com",
      SELLER_NAME: "Dastak",
      SELLER_ADDRESS: "",
      SELLER_SAC: "998413",
      GST_PERCENT: 18,
      INVOICE_PREFIX: "DK",
      SIGN_IN_COUNTRIES: ["IN"],
      CODES_PER_MINUTE: 60,
      CODES_PER_DAY: 5_000,
      TURNSTILE_URL: "https://challenges.cloudflare.com",
      TURNSTILE_TIMEOUT_MS: 5_000,
      ALERT_QUEUE_AGE_MS: 900_000,
      ALERT_DELIVERY_PERCENT: 70,
      CLOSE_GRACE_DAYS: 14,
      DLT_HOURS: { from: 600, to: 1_260 },
    });
  });

  it("give new accounts 100 coins locally and none elsewhere, unless the variable says so", () => {
    expect(signupCredit(parseConfig(LOCAL))).toBe(100);
    expect(signupCredit(parseConfig(PRODUCTION))).toBe(0);
    expect(signupCredit(parseConfig({ ...LOCAL, SIGNUP_CREDIT_COINS: "0" }))).toBe(0);
    expect(signupCredit(parseConfig({ ...PRODUCTION, SIGNUP_CREDIT_COINS: "25" }))).toBe(25);
  });
});

it("logs every request locally, only failures elsewhere, and otherwise what LOG_REQUESTS says", () => {
  const [deployed, local] = [PRODUCTION, LOCAL].map((of) => parseConfig(of));
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
    ["OTP_PER_NUMBER", "-1"],
    ["OTP_PER_PREFIX", "0.5"],
    ["SIGN_IN_COUNTRIES", ""],
    ["SIGN_IN_COUNTRIES", "IN,"],
    ["SIGN_IN_COUNTRIES", "001"],
    ["SIGN_IN_COUNTRIES", "India"],
    ["CODES_PER_MINUTE", "81"],
    ["ENVIRONMENT", "test"],
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
    expect(faultsOf({ ...PRODUCTION, [name]: undefined })).toEqual([`${name} is missing`]);
  });
});

describe("settings that conflict", () => {
  it("are refused: two bases at one address, one secret for two purposes, plain http to the gateway", () => {
    expect(faultsOf({ ...PRODUCTION, OTP_URL: PRODUCTION.SMS_URL })).toEqual([
      "the five base addresses must differ, by host or by path",
    ]);
    expect(faultsOf({ ...PRODUCTION, OTP_URL: `${PRODUCTION.SMS_URL}/otp` })).toEqual([]);
    expect(faultsOf({ ...PRODUCTION, OPERATOR_TOKEN: PRODUCTION.SEAL_SECRET })).toEqual([
      "SEAL_SECRET and OPERATOR_TOKEN must differ",
    ]);
    const open = { ...PRODUCTION, ...GATEWAY, CARRIER_HTTP_URL: "http://gateway.example.com/m" };
    expect(faultsOf(open)).toEqual(["CARRIER_HTTP_URL must be https: texts and one-time passwords travel there"]);
    expect(faultsOf({ ...LOCAL, ...GATEWAY, CARRIER_HTTP_URL: "http://gateway.example.com/m" })).toEqual([]);
  });

  it("are refused: a gateway without a name, which Cloudflare would answer in its place", () => {
    const named = ["CARRIER_HTTP_URL must have a hostname: Cloudflare refuses requests to an IP address (error 1003)"];
    for (const host of ["198.51.100.7", "198.51.100.7:8443", "3325256711", "0xc6336407", "[2001:db8::7]"]) {
      const at = { ...GATEWAY, CARRIER_HTTP_URL: `https://${host}/m` };
      expect(faultsOf({ ...PRODUCTION, ...at }), host).toEqual(named);
      expect(faultsOf({ ...LOCAL, ...at }), host).toEqual([]);
    }
    expect(faultsOf({ ...PRODUCTION, ...GATEWAY, CARRIER_HTTP_URL: "https://7.example.com/m" })).toEqual([]);
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

describe("sign-in codes", () => {
  it("go to the listed countries", () => {
    expect(parseConfig({ ...PRODUCTION, SIGN_IN_COUNTRIES: "IN, NP,LK" }).SIGN_IN_COUNTRIES).toEqual([
      "IN",
      "NP",
      "LK",
    ]);
  });

  it("never use up the window of the account that sends them, even where two of their windows meet", () => {
    const { CODES_PER_MINUTE } = parseConfig({ ...PRODUCTION, CODES_PER_MINUTE: "80" });
    expect(2 * CODES_PER_MINUTE).toBeLessThan(PLANS.premium.requestsPerMinute);
  });

  it("need Turnstile's secret beside its site key, and https", () => {
    const turnstile = { TURNSTILE_SITE_KEY: "0x4AAA", TURNSTILE_SECRET: `0x4AAAAAAA-${SECRET}` };
    expect(faultsOf({ ...PRODUCTION, ...turnstile })).toEqual([]);
    expect(faultsOf({ ...PRODUCTION, ...turnstile, TURNSTILE_SECRET: undefined })).toEqual([
      "TURNSTILE_SECRET is missing, and TURNSTILE_SITE_KEY is there",
    ]);
    expect(faultsOf({ ...PRODUCTION, ...turnstile, TURNSTILE_URL: "http://check.example.com" })).toEqual([
      "TURNSTILE_URL must be https: its secret travels there, and its script runs in the console",
    ]);
  });
});

describe("payments", () => {
  const razorpay = {
    PAYMENTS: "razorpay",
    RAZORPAY_KEY_ID: "rzp_live_1",
    RAZORPAY_KEY_SECRET: "0123456789abcdefghijklmn",
    RAZORPAY_WEBHOOK_SECRET: `webhook-${SECRET}`,
  };
  const seller = { SELLER_GSTIN: "29AAGCB7383J1Z4", SELLER_ADDRESS: "1 MG Road" };

  it("are off in production and in the sandbox locally, unless the variable says so", () => {
    expect(paymentsOf(parseConfig(PRODUCTION))).toBe("none");
    expect(paymentsOf(parseConfig(LOCAL))).toBe("sandbox");
    expect(paymentsOf(parseConfig({ ...LOCAL, PAYMENTS: "none" }))).toBe("none");
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

  it("by Razorpay require secrets of a length that cannot be tried out, locally as well", () => {
    for (const [name, length] of [
      ["RAZORPAY_KEY_SECRET", 16],
      ["RAZORPAY_WEBHOOK_SECRET", 32],
    ] as const) {
      for (const at of [PRODUCTION, LOCAL]) {
        const short = { ...at, ...razorpay, [name]: `${SECRET}0`.slice(0, length - 1) };
        expect(faultsOf(short)).toEqual([`${name}: must have at least ${length} characters`]);
      }
    }
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
