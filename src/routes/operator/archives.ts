import * as z from "zod";
import { archiveNamed, archivesOf } from "../../accounts/archives.ts";
import type { Api } from "../../http/app.ts";
import type { Docs } from "../../http/docs.ts";
import { afterField, limitField, numbersIn, page, query } from "../../http/query.ts";
import { archiveName } from "../../model/archive.ts";
import type { Manifest } from "../../model/archive.ts";
import { coins } from "../../money/money.ts";
import { accountInPath, missing, modeField, ofMode, operator } from "./operator.ts";

/** A file of the archive on the wire: its manifest, with amounts in coins. */
const wire = (manifest: Manifest) => ({
  name: archiveName(manifest),
  month: manifest.month,
  first: manifest.first,
  last: manifest.last,
  lines: manifest.lines,
  sums: Object.fromEntries(Object.entries(manifest.units).map(([type, units]) => [type, coins(units)])),
  balance_before: coins(manifest.balanceBefore),
  balance_after: coins(manifest.balanceAfter),
  bytes: manifest.file.bytes,
  sha256: manifest.file.sha256,
  ndjson_bytes: manifest.ndjson.bytes,
  ndjson_sha256: manifest.ndjson.sha256,
});

const asked = query(z.object({ mode: modeField, limit: limitField, after: afterField(numbersIn(1)) }));

/** `GET /operator/accounts/:id/archives`, oldest first, and `…/archives/:name`: a file, or its manifest as it is stored. */
export const operatorArchives = (app: Api) => {
  app.get("/operator/accounts/:id/archives", operator("read"), asked, async (c) => {
    const ref = accountInPath(c);
    const { limit, after: [after = 0] = [] } = c.req.valid("query");
    const found = (await archivesOf(c.env, ref, after, limit + 1)) ?? missing("account");
    const { rows, ...more } = page(found.manifests, limit, ({ first }) => String(first));
    const checkpoint = { seq: found.checkpoint.seq, balance: coins(found.checkpoint.balance) };
    return c.json({ success: true, data: rows.map(wire), checkpoint, ...more });
  });

  app.get("/operator/accounts/:id/archives/:name", operator("read"), ofMode, async (c) => {
    const ref = accountInPath(c);
    const object = (await archiveNamed(c.env, ref, c.req.param("name"))) ?? missing("archive");
    return c.body(object.body, 200, archiveHeaders(object, c.req.param("name")));
  });
};

/** The headers of a download. */
export function archiveHeaders(object: R2ObjectBody, name: string): Record<string, string> {
  return {
    "Content-Type": object.httpMetadata?.contentType ?? "application/octet-stream",
    "Content-Length": String(object.size),
    "Content-Disposition": `attachment; filename="${name}"`,
    ETag: object.httpEtag,
    "Cache-Control": "no-store",
  };
}

export const docs = {
  "GET /operator/accounts/:id/archives": {
    id: "operatorArchives",
    tag: "Operator: accounts",
    summary: "List the files of an account's archive, oldest first",
    reply: "ArchiveList",
    path: { id: "The account's id." },
  },
  "GET /operator/accounts/:id/archives/:name": {
    id: "operatorArchive",
    tag: "Operator: accounts",
    summary: "Get a file of an account's archive",
    media: {
      "application/gzip": "The file: lines of JSON, compressed.",
      "application/json": "The manifest of a file, under the file's name with `.json`.",
    },
    path: { id: "The account's id.", name: "The name of the file, or of its manifest." },
  },
} satisfies Docs;
