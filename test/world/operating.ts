import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { bearer, call, openWorld, operator } from "./world.ts";
import type { Reply } from "./world.ts";

// What every operator route must do (contract §10), and a helper that opens an account as the operator does.

export interface Opened {
  accountId: string;
  apiKey: string;
  testKey: string;
}

/** Opens an account through the operator API. */
export async function openAccount(body: object = {}, headers: Record<string, string> = {}): Promise<Opened> {
  const reply = await operator("POST", "/operator/accounts", { name: "Acme", plan: "premium", ...body }, headers);
  expect(reply.status, reply.text).toBe(200);
  const { account_id: accountId, api_key: apiKey, test_key: testKey } = reply.body as Record<string, string>;
  return { accountId: accountId ?? "", apiKey: apiKey ?? "", testKey: testKey ?? "" };
}

/** Expects a failure in the standard shape, without other fields. */
export function expectFailure(reply: Reply, status: number, code: string, more: object = {}): void {
  expect(reply.body).toMatchObject({ success: false, code, request_id: reply.headers.get("x-request-id"), ...more });
  expect(reply.status).toBe(status);
  const names = Object.keys(reply.body as object);
  expect(names.filter((name) => !["success", "error", "code", "request_id", "param", "hint"].includes(name))).toEqual(
    [],
  );
  expect(reply.body.error).toMatch(/^[A-Za-z0-9].*[^.]\.$/u);
  expect(reply.headers.get("cache-control")).toBe("no-store");
}

/** Authentication and transport, which are the same for every operator route. */
export function operatorSuite(method: string, path: string | ((accountId: string) => string)): void {
  const at = async () => {
    const world = await openWorld();
    return typeof path === "string" ? path : path(world.ref.accountId);
  };
  const takesBody = !["GET", "DELETE"].includes(method);

  it(`${method}: only the operator's token is accepted`, async () => {
    const world = await openWorld();
    const url = `http://console.localhost${await at()}`;
    const token = env.OPERATOR_TOKEN;
    const others = ["", "x", `${token}x`, token.slice(0, -1), token.toUpperCase(), world.apiKey];
    const given = [{}, { "x-api-key": token }, ...others.map((other) => bearer(other))];
    const texts = new Set<string>();
    for (const headers of given) {
      const asJson = { ...headers, ...(takesBody && { "content-type": "application/json" }) };
      const reply = await call(url, { method, headers: asJson, ...(takesBody && { body: "{}" }) });
      expectFailure(reply, 401, "unauthorized");
      texts.add(reply.body.error as string);
    }
    expect(texts).toEqual(new Set(["The operator token is missing or not valid."]));
    const inUrl = await call(`${url}?token=${token}`, { method });
    expect(inUrl.status).toBe(401);
  });

  it(`${method}: another method is 405 with Allow, and without CORS`, async () => {
    const reply = await operator("OPTIONS", await at());
    expectFailure(reply, 405, "method_not_allowed");
    expect(reply.headers.get("allow")?.split(", ")).toContain(method);
    expect([...reply.headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  });

  if (takesBody) {
    it(`${method}: only JSON is accepted`, async () => {
      const path = await at();
      const raw = (type: string, body: string) =>
        call(`http://console.localhost${path}`, {
          method,
          headers: { ...bearer(env.OPERATOR_TOKEN), "content-type": type },
          body,
        });
      expectFailure(await raw("text/plain", "{}"), 415, "unsupported_media_type");
      expectFailure(await raw("application/json", "{"), 400, "invalid_json");
      expectFailure(await raw("application/json", "[]"), 400, "invalid_request");
      expectFailure(await raw("application/json", "x".repeat(10 * 1024 * 1024 + 1)), 413, "payload_too_large");
    });
  }
}

/** Unopened accounts, and malformed account ids. */
export function unknownAccountSuite(method: string, path: (accountId: string) => string, body?: object): void {
  it(`${method}: an unknown account is 404`, async () => {
    for (const id of ["acc_00000000000", "acc_x", "me", "%2e%2e", "0"]) {
      expectFailure(await operator(method, path(id), body), 404, "not_found");
    }
  });

  it(`${method}: mode is live or test`, async () => {
    const world = await openWorld();
    const reply = await operator(method, `${path(world.ref.accountId)}?mode=both`, body);
    expectFailure(reply, 400, "invalid_request", { param: "mode", error: "mode must be live or test." });
  });
}

/** All rows of a list in their order, read in pages of `limit`. */
export async function pagesOf(path: string, limit: number): Promise<unknown[]> {
  const rows: unknown[] = [];
  let after = "";
  for (;;) {
    const reply = await operator("GET", `${path}?limit=${limit}${after}`);
    expect(reply.status, reply.text).toBe(200);
    const { data, has_more: hasMore, next } = reply.body as { data: unknown[]; has_more: boolean; next: string | null };
    expect(data.length).toBeLessThanOrEqual(limit);
    rows.push(...data);
    expect(hasMore).toBe(next !== null);
    if (next === null) return rows;
    after = `&after=${encodeURIComponent(next)}`;
  }
}

/** `?limit=` and `?after=` of a list. */
export function pageSuite(path: (accountId: string) => string): void {
  it("limit is 1 to 500, and after is the `next` of a page", async () => {
    const world = await openWorld();
    const at = path(world.ref.accountId);
    for (const limit of ["1", "500"]) expect((await operator("GET", `${at}?limit=${limit}`)).status).toBe(200);
    for (const limit of ["0", "501", "-1", "1.5", "", "ten", "1e2", "९"]) {
      const reply = await operator("GET", `${at}?limit=${encodeURIComponent(limit)}`);
      expectFailure(reply, 400, "invalid_request", { param: "limit" });
    }
    for (const after of ["", "x", "-1", "1.2.3.4", "1e5", "0x1"]) {
      const reply = await operator("GET", `${at}?after=${encodeURIComponent(after)}`);
      expectFailure(reply, 400, "invalid_request", { param: "after" });
    }
  });
}
