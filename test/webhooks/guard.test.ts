import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { configOf } from "../../src/config/config.ts";
import { refusedAddress } from "../../src/webhooks/guard.ts";

// The addresses that webhooks may have, and the spellings of those that they may not.

const local = configOf(env);
const deployed = {
  ...local,
  ENVIRONMENT: "production" as const,
  SMS_URL: "https://sms.dastak.example",
  CONSOLE_URL: "https://console.dastak.example",
};

describe("an address of a deployed service", () => {
  it.each([
    "https://example.com/hook",
    "https://hooks.example.co.in:8443/a?b=c",
    "https://EXAMPLE.com./",
    "https://xn--mnchen-3ya.de/",
    "https://notsms.dastak.example.com/",
  ])("takes %s", (url) => expect(refusedAddress(deployed, url)).toBeNull());

  it.each([
    "http://example.com/",
    "ftp://example.com/",
    "javascript:alert(1)",
    "https://",
    "example.com",
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0177.0.0.1/",
    "https://0/",
    "https://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data",
    "https://192.168.1.1/",
    "https://8.8.8.8/",
    "https://１２７.0.0.1/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[fd00::1]/",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://a.localhost/",
    "https://printer.local/",
    "https://db.internal/",
    "https://metadata.google.internal/",
    "https://router.lan/",
    "https://nas.home/",
    "https://x.home.arpa./",
    "https://intranet/",
    "https://user@example.com/",
    "https://user:word@example.com/",
    "https://example.com/#part",
    "https://example.com/#",
    "https://sms.dastak.example/send-sms",
    "https://SMS.dastak.example./send-sms",
    "https://a.console.dastak.example/",
    `https://example.com/${"a".repeat(2_000)}`,
  ])("refuses %s", (url) => expect(refusedAddress(deployed, url)).toMatch(/^url must .+\.$/u));
});

describe("an address of a local service", () => {
  it.each([
    "http://localhost:3000/hook",
    "http://127.0.0.1:9/",
    "http://[::1]:9/",
    "https://sms.localhost:8787/",
    "http://example.com/",
    "https://example.com/",
  ])("takes %s", (url) => expect(refusedAddress(local, url)).toBeNull());
  it.each([
    "ftp://localhost/",
    "http://user@localhost/",
    "http://localhost/#a",
    "http://10.0.0.1/",
    "https://127.0.0.1.local/x",
    "http://receiver/",
  ])("refuses %s", (url) => expect(refusedAddress(local, url)).not.toBeNull());
});
