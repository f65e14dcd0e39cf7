import { HOSTS, VARIABLES } from "../../harness/service.mjs";
import { parseConfig } from "../../src/config/config.ts";
import { mac } from "../../src/crypto/bytes.ts";

// The settings of the fuzzer's targets.

const KEY_SECRET = "local-only-key-secret-of-the-fuzzed-service";
export const CARRIER_SECRET = `whsec_${Buffer.from("secret of a gateway that nobody runs").toString("base64")}`;
export const PAYMENTS_SECRET = `whsec_${Buffer.from(mac(KEY_SECRET, "payments/sandbox", "")).toString("base64")}`;

/** Settings of both targets: plain http, a host for each base, and a carrier and a payment provider with signatures. */
export const SETTINGS = {
  ENVIRONMENT: "local",
  ...Object.fromEntries(Object.entries(HOSTS).map(([name, host]) => [`${name.toUpperCase()}_URL`, `http://${host}`])),
  PAYMENTS: "sandbox",
  KEY_SECRET,
  CARRIER_HTTP_URL: "http://127.0.0.1:9/",
  CARRIER_HTTP_SECRET: CARRIER_SECRET,
};

/** The same as the service reads them. */
export const CONFIG = parseConfig({ ...VARIABLES, ...SETTINGS });
