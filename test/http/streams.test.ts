import { expect, it } from "vitest";
import { bytesUpTo, readText, textUpTo } from "../../src/http/streams.ts";

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
  expect((await bytesUpTo(request("x".repeat(BYTES_MAX + 1), length), BYTES_MAX)).value).toBeNull();
});

it.each([["10"], [undefined]])("reads a body of exactly the allowed length, with Content-Length %s", async (length) => {
  expect(await readText(request("x".repeat(BYTES_MAX), length), BYTES_MAX)).toBe("x".repeat(BYTES_MAX));
  const { value, bytes } = await bytesUpTo(request("x".repeat(BYTES_MAX), length), BYTES_MAX);
  expect(new TextDecoder().decode(value ?? new Uint8Array())).toBe("x".repeat(bytes));
});

it.each([["2"], [undefined]])("throws TypeError for invalid UTF-8, with Content-Length %s", async (length) => {
  const broken = new Request("http://sms.localhost/", {
    method: "POST",
    body: Uint8Array.of(0xc3, 0x28),
    ...(length !== undefined && { headers: { "content-length": length } }),
  });
  await expect(readText(broken, BYTES_MAX)).rejects.toThrow(TypeError);
});

it("counts a longer body to its end, and does not read one that is declared as longer", async () => {
  const pulled: number[] = [];
  const long = (length?: string) => {
    let left = 5;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          left -= 1;
          pulled.push(left);
          if (left >= 0) controller.enqueue(new Uint8Array(7));
          else controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    const headers: Record<string, string> = length === undefined ? {} : { "content-length": length };
    return new Request("http://sms.localhost/", { method: "POST", body, headers });
  };
  expect(await bytesUpTo(long("11"), BYTES_MAX)).toEqual({ value: null, bytes: 11 });
  expect(pulled).toEqual([]);
  expect(await textUpTo(long(), BYTES_MAX)).toEqual({ value: null, bytes: 35 });
});
