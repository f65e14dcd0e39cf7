import { archiveNamed, archivesOf } from "../../accounts/archives.ts";
import type { Api } from "../../http/app.ts";
import { page } from "../../http/query.ts";
import { archiveName } from "../../model/archive.ts";
import type { Manifest } from "../../model/archive.ts";
import { coins } from "../../money/money.ts";
import { accountInPath, missing, operator, pageAfter, pageLimit } from "./operator.ts";

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

/** `GET /operator/accounts/:id/archives`, oldest first, and `…/archives/:name`: a file, or its manifest as it is stored. */
export const operatorArchives = (app: Api) => {
  app.get("/operator/accounts/:id/archives", operator("read"), async (c) => {
    const ref = accountInPath(c);
    const limit = pageLimit(c);
    const [after = 0] = pageAfter(c, 1);
    const found = (await archivesOf(c.env, ref, after, limit + 1)) ?? missing("account");
    const { rows, ...more } = page(found.manifests, limit, ({ first }) => String(first));
    const checkpoint = { seq: found.checkpoint.seq, balance: coins(found.checkpoint.balance) };
    return c.json({ success: true, data: rows.map(wire), checkpoint, ...more });
  });

  app.get("/operator/accounts/:id/archives/:name", operator("read"), async (c) => {
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
