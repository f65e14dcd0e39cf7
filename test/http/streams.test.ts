import { expect, it } from "vitest";
import { readBytes, readText } from "../../src/http/streams.ts";

const BYTES_MAX = 10;

const request = (body: string, length?: string) =>
  new Request("http://sms.localhost/", {
    method: "POST",
    body,
    ...(length !== undefined && { headers: { "content-length": length } }),
  });

it.each([
  ["a correct", "11"],
  ["a too small", "5"],
  ["no", undefined],
])("refuses a body that is too long, with %s Content-Length", async (_, length) => {
  expect(await readText(request("x".repeat(BYTES_MAX + 1), length), BYTES_MAX)).toBeNull();
  expect(await readBytes(request("x".repeat(BYTES_MAX + 1), length), BYTES_MAX)).toBeNull();
});

it.each([["10"], [undefined]])("reads a body of exactly the allowed length, with Content-Length %s", async (length) => {
  expect(await readText(request("x".repeat(BYTES_MAX), length), BYTES_MAX)).toBe("x".repeat(BYTES_MAX));
});

it.each([["2"], [undefined]])("throws TypeError for invalid UTF-8, with Content-Length %s", async (length) => {
  const broken = new Request("http://sms.localhost/", {
    method: "POST",
    body: Uint8Array.of(0xc3, 0x28),
    ...(length !== undefined && { headers: { "content-length": length } }),
  });
  await expect(readText(broken, BYTES_MAX)).rejects.toThrow(TypeError);
});
