import { ConfigError, parseConfig } from "../../src/config/config.ts";

// Settings as the environment gives them.

export const SECRET = "0123456789abcdef0123456789abcdef";
export const WHSEC = `whsec_${Buffer.from("a gateway's key of 32 bytes, ok?").toString("base64")}`;

/** A deployed service with as few settings as possible. */
export const PRODUCTION = {
  SMS_URL: "https://sms.example.com",
  TTS_URL: "https://tts.example.com",
  VOICE_URL: "https://voice.example.com",
  OTP_URL: "https://otp.example.com",
  CONSOLE_URL: "https://console.example.com",
  KEY_SECRET: `key-${SECRET}`,
  SEAL_SECRET: `seal-${SECRET}`,
  OPERATOR_TOKEN: `operator-${SECRET}`,
};

/** The same settings for a local service. */
export const LOCAL = {
  ...PRODUCTION,
  ENVIRONMENT: "local",
  SMS_URL: "http://sms.localhost:8787",
  TTS_URL: "http://tts.localhost:8787",
  VOICE_URL: "http://voice.localhost:8787",
  OTP_URL: "http://otp.localhost:8787",
  CONSOLE_URL: "http://localhost:8787",
};

export const GATEWAY = {
  CARRIER: "http",
  CARRIER_HTTP_URL: "https://gateway.example.com/m",
  CARRIER_HTTP_SECRET: WHSEC,
};

/** The faults for which a configuration is refused; any error other than a ConfigError is rethrown. */
export function faultsOf(variables: Record<string, unknown>): string[] {
  try {
    parseConfig(variables);
  } catch (problem) {
    if (problem instanceof ConfigError) return problem.message.split("; ");
    throw problem;
  }
  return [];
}
