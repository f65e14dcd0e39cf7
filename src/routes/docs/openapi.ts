import type { Context } from "hono";
import type { Api, AppEnv } from "../../http/app.ts";
import { servedDocument } from "../../openapi/served.ts";
import type { DocumentName } from "../../openapi/served.ts";

/** Whether the sender has the document already (RFC 9110 §13.1.2). */
function isKnown(c: Context<AppEnv>, etag: string): boolean {
  const given = (c.req.header("if-none-match") ?? "").split(",").map((one) => one.trim().replace(/^W\//u, ""));
  return given.includes(etag) || given.includes("*");
}

/** Unlike the API's replies a document is public: editors and pages on other hosts may read it. */
async function answer(c: Context<AppEnv>, name: DocumentName) {
  const { text, etag } = await servedDocument(c.env, name);
  const headers = {
    ETag: etag,
    "Cache-Control": "public, max-age=300",
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
  };
  if (isKnown(c, etag)) return c.body(null, 304, headers);
  return c.body(text, 200, { ...headers, "Content-Type": "application/json" });
}

/** `GET /openapi.json` and `GET /openapi-operator.json`: the API as OpenAPI 3.1, for programs and for the operator. */
export const openapiDocuments = (app: Api) => {
  app.get("/openapi.json", (c) => answer(c, "api"));
  app.get("/openapi-operator.json", (c) => answer(c, "operator"));
};
