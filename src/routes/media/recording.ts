import { settings } from "../../http/app.ts";
import type { Api } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { readMediaToken } from "../../recordings/signed-address.ts";

/** The part of an object that the reply contains. */
function partOf(object: R2Object, range: R2Range | undefined): { offset: number; length: number } {
  if (!range) return { offset: 0, length: object.size };
  if ("suffix" in range) {
    const length = Math.min(range.suffix, object.size);
    return { offset: object.size - length, length };
  }
  const offset = range.offset ?? 0;
  return { offset, length: Math.min(range.length ?? object.size, object.size - offset) };
}

/** Reads a `Range` header with one range in bytes; anything else is ignored (RFC 9110 §14.2). */
function rangeOf(header: string | undefined): R2Range | undefined {
  const found = /^bytes=(\d{0,12})-(\d{0,12})$/u.exec(header ?? "");
  const [from, to] = [found?.[1] ?? "", found?.[2] ?? ""];
  if (from === "") return to === "" ? undefined : { suffix: Number(to) };
  const offset = Number(from);
  if (to === "") return { offset };
  return Number(to) < offset ? undefined : { offset, length: Number(to) - offset + 1 };
}

/** `GET` and `HEAD /media/:token`: a recording for the carrier that plays it; the token is the proof (contract §11). */
export const mediaRecording = (app: Api) =>
  app.get("/media/:token", async (c) => {
    const found = readMediaToken(settings(c).KEY_SECRET, c.req.param("token"), Date.now());
    const head = found && (await c.env.RECORDINGS.head(found.objectKey));
    if (!found || !head) return fail("not_found", "There is nothing at this address.");
    const range = rangeOf(c.req.header("range"));
    const { offset, length } = partOf(head, range);
    const headers: Record<string, string> = {
      "Accept-Ranges": "bytes",
      "Content-Type": found.mime,
      "Content-Length": String(length),
      ETag: head.httpEtag,
      // Whatever the bytes claim to be, they run nothing with the console's origin.
      "Content-Security-Policy": "sandbox",
    };
    if (length <= 0) {
      // The range is outside the recording (RFC 9110 §15.5.17).
      return c.body(null, 416, { "Content-Range": `bytes */${head.size}`, "Accept-Ranges": "bytes" });
    }
    if (range) headers["Content-Range"] = `bytes ${offset}-${offset + length - 1}/${head.size}`;
    const status = range ? 206 : 200;
    if (c.req.method === "HEAD") return c.body(null, status, headers);
    const object = await c.env.RECORDINGS.get(found.objectKey, range ? { range: { offset, length } } : {});
    return object ? c.body(object.body, status, headers) : fail("not_found", "There is nothing at this address.");
  });
