import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { configOf } from "../../src/config/config.ts";
import { ADDRESS_FAULTS, refusedAddress, refusedHost } from "../../src/webhooks/guard.ts";

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
  ])("refuses %s", (url) => expect(Object.keys(ADDRESS_FAULTS)).toContain(refusedAddress(deployed, url)));
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

describe("a bare host, as of a carrier over SMPP", () => {
  it.each([
    "smpp.example.com",
    "SMPP.Example.com.",
    "8.8.8.8",
    "100.63.0.1",
    "100.128.0.1",
    "172.15.0.1",
    "172.32.0.1",
    "192.0.3.1",
    "198.17.0.1",
    "223.255.255.255",
    "[2606:4700:4700::1111]",
    "[2001:4860:4860::8888]",
    "[2a00::1]",
  ])("may be %s", (host) => expect(refusedHost(deployed, host)).toBeNull());

  it.each([
    "127.0.0.1",
    "127.1",
    "0x7f000001",
    "2130706433",
    "0",
    "10.0.0.1",
    "100.64.0.1",
    "100.127.255.255",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.1",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.19.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::1]",
    "[::ffff:8.8.8.8]",
    "[64:ff9b::808:808]",
    "[fc00::1]",
    "[fe80::1]",
    "[ff02::1]",
    "[2001:db8::1]",
    "[2001::1]",
    "[2002:a00:1::]",
    "localhost",
    "smsc",
    "smsc.internal",
    "smsc.local",
  ])("must not be %s", (host) => expect(refusedHost(deployed, host)).toBe("not_public"));

  it("is no address of the service, and must be one", () => {
    expect(refusedHost(deployed, "sms.dastak.example")).toBe("own");
    for (const host of ["", "256.1.1.1", "[::g]"]) expect(refusedHost(deployed, host)).toBe("form");
  });

  it("may be a private one locally", () => {
    for (const host of ["127.0.0.1", "localhost", "[::1]", "192.168.1.7"]) expect(refusedHost(local, host)).toBeNull();
    expect(refusedHost(local, "smsc.internal")).toBe("not_public");
  });
});
