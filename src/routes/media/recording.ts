import { settings } from "../../http/app.ts";
import type { Api } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { conditionOf, rangeOf } from "../../recordings/partial.ts";
import { readMediaToken } from "../../recordings/signed-address.ts";

/** Headers with which a request asks for less than the whole. */
const QUALIFIERS = ["range", "if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];

/** Nothing is at an address that was altered or has expired, nor where the bytes have been deleted. */
const nothing = () => fail("not_found", "There is nothing at this address.");

/**
 * `GET` and `HEAD /media/:token`: a recording or spoken text for the carrier that plays it; the token is the proof
 * (contract §11). Carriers ask for its head, for parts, and again with conditions.
 */
export const mediaRecording = (app: Api) =>
  app.get("/media/:token", async (c) => {
    const found = readMediaToken(settings(c).KEY_SECRET, c.req.param("token"), Date.now());
    if (!found) return nothing();
    const bucket = c.env.RECORDINGS;
    const isHead = c.req.method === "HEAD";
    const asked = (name: string) => c.req.header(name);
    const isPlain = !isHead && QUALIFIERS.every((name) => asked(name) === undefined);
    // A whole recording takes one call of R2; what else a request says depends on its size and tag.
    const whole = isPlain ? await bucket.get(found.objectKey) : null;
    const head = isPlain ? whole : await bucket.head(found.objectKey);
    if (!head) return nothing();
    const { size, httpEtag: etag, uploaded } = head;
    const validators = { etag, modifiedMs: uploaded.getTime() };
    const shared = { ETag: etag, "Last-Modified": uploaded.toUTCString(), "Accept-Ranges": "bytes" };
    const condition = conditionOf(asked, validators);
    if (condition !== null) return c.body(null, condition, shared);
    const part = rangeOf(asked, size, validators);
    if (part === "unsatisfiable") {
      return c.body(null, 416, { "Content-Range": `bytes */${size}`, "Accept-Ranges": "bytes" });
    }
    const headers = {
      ...shared,
      "Content-Type": found.mime,
      "Content-Length": String(part?.length ?? size),
      // Whatever the bytes claim to be, they run nothing with the console's origin.
      "Content-Security-Policy": "sandbox",
      ...(part && { "Content-Range": `bytes ${part.offset}-${part.offset + part.length - 1}/${size}` }),
    };
    const status = part ? 206 : 200;
    if (isHead) return c.body(null, status, headers);
    const object = whole ?? (await bucket.get(found.objectKey, part ? { range: part } : {}));
    return object ? c.body(object.body, status, headers) : nothing();
  });
