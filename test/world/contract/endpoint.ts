import { env } from "cloudflare:workers";
import { expect } from "vitest";
import type { KeyPlace } from "../../../src/model/operations.ts";
import { showKey } from "../../../src/crypto/api-key.ts";
import { call } from "../world.ts";
import type { Reply, World } from "../world.ts";

// How the contract suite describes an endpoint and calls it. Every reply from `ask` is checked for what contract §3
// promises of every reply.

export type Fields = Record<string, unknown>;

/** A value that a field refuses, and the expected refusal. */
export interface Refused {
  value: unknown;
  error: string;
  /** The field itself by default; or an element of it, such as `recipients[1]`. */
  param?: string;
  hint?: string;
}

/** The rule of one field: its type, and values on both sides of each boundary. */
export interface FieldRule {
  type: "string" | "number" | "boolean" | "list";
  required: boolean;
  accepted: readonly unknown[];
  refused: readonly Refused[];
}

/** A customer's endpoint. */
export interface Endpoint {
  url: string;
  /** Its address in a world, where that contains an id; the same one for the same world. */
  at?: (world: World) => Promise<string>;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Places from which its key is read; the suite uses the first. */
  keyPlaces: readonly KeyPlace[];
  /** Valid fields; the same ones for the same world. */
  body: (world: World) => Fields | Promise<Fields>;
  rules: Readonly<Record<string, FieldRule>>;
  /** The largest body in bytes, where it is not 64 KiB. */
  bodyBytesMax?: number;
  /** Its body, where that is CSV. */
  csv?: string;
  /** Whether its body may be a form too. */
  form?: true;
  /** Price of `body` in coins; 0 for a free endpoint. */
  cost: number;
  /** What it says of an empty balance, where that has no figures. */
  emptyBalance?: string;
  /** Endpoints that wait for R2 answer 409 to a parallel repeat (contract §8). */
  slow?: boolean;
}

export const KEY_PLACES: readonly KeyPlace[] = ["bearer", "x-api-key", "body"];

/** The key to send in each place; in the body it may be any value. */
export interface Keys {
  bearer?: string;
  "x-api-key"?: string;
  /** The password of Basic authentication. */
  basic?: string;
  /** Authorization without a scheme. */
  bare?: string;
  body?: unknown;
}

export interface Asking {
  /** Replace valid fields; `undefined` removes one. */
  fields?: Fields;
  /** Replaces the JSON of the fields. */
  raw?: BodyInit;
  keys?: Keys;
  headers?: Record<string, string>;
  /** Content type; null to send none. */
  type?: string | null;
  method?: string;
  query?: string;
}

function headersOf(keys: Keys): Record<string, string> {
  return {
    ...(keys.bearer !== undefined && { authorization: `Bearer ${keys.bearer}` }),
    ...(keys["x-api-key"] !== undefined && { "x-api-key": keys["x-api-key"] }),
    ...(keys.basic !== undefined && { authorization: `Basic ${btoa(`dastak:${keys.basic}`)}` }),
    ...(keys.bare !== undefined && { authorization: keys.bare }),
  };
}

/** The largest body of any request (contract §3), and of an endpoint that states no other. */
export const CAP_BYTES = 10 * 1024 * 1024;
export const USUAL_BYTES = 64 * 1024;

/** The key, in the first place from which this endpoint reads it. */
export function keyOf(endpoint: Endpoint, world: World): Keys {
  return { [endpoint.keyPlaces[0] ?? "bearer"]: world.apiKey };
}

/** A second key of the same account. */
export async function secondKey(world: World): Promise<string> {
  const keyId = world.keyId ^ 1;
  await world.stub.makeKey(keyId, "second key");
  return showKey(env.KEY_SECRET, { ...world.ref, keyId });
}

/** Checks what contract §3 promises of every reply. */
function checkEveryReply(reply: Reply): void {
  const names = [...reply.headers.keys()];
  expect(reply.headers.get("x-request-id")).toMatch(/^req_[0-9A-Za-z]+$/u);
  expect(reply.headers.get("cache-control")).toBe("no-store");
  expect(names.filter((name) => name.startsWith("access-control-"))).toEqual([]);
  expect(reply.headers.get("content-type")).toMatch(/^application\/json/u);
  if (reply.status < 400 || reply.text === "") return;
  const { success, error, code, request_id: requestId, ...more } = reply.body as Record<string, unknown>;
  expect({ success, requestId }).toEqual({ success: false, requestId: reply.headers.get("x-request-id") });
  expect(code).toMatch(/^[a-z_]+$/u);
  expect(error, "one plain sentence").toMatch(/^[A-Za-z0-9].*[^.]\.$/u);
  expect(error, "one plain sentence").not.toMatch(/[.!?] [A-Z]|\n/u);
  expect(Object.keys(more).filter((name) => name !== "param" && name !== "hint")).toEqual([]);
}

/** Calls an endpoint as the world's customer, with a valid request unless `asking` changes it. */
export async function ask(endpoint: Endpoint, world: World, asking: Asking = {}): Promise<Reply> {
  const method = asking.method ?? endpoint.method;
  const keys = asking.keys ?? keyOf(endpoint, world);
  const init: RequestInit = { method, headers: { ...headersOf(keys), ...asking.headers } };
  if (method !== "GET" && method !== "HEAD") {
    const inBody = keys.body === undefined ? {} : { apiKey: keys.body };
    const fields = asking.raw === undefined && { ...(await endpoint.body(world)), ...asking.fields, ...inBody };
    init.body = asking.raw ?? JSON.stringify(fields);
    const isCsv = endpoint.csv !== undefined && asking.raw === undefined;
    if (isCsv) init.body = endpoint.csv ?? null;
    const { type = isCsv ? "text/csv" : "application/json" } = asking;
    if (type !== null) init.headers = { "content-type": type, ...init.headers };
  }
  const url = endpoint.at ? await endpoint.at(world) : endpoint.url;
  const reply = await call(url + (asking.query ?? ""), init);
  checkEveryReply(reply);
  return reply;
}

/** The JSON text of a valid request, with the key if the endpoint reads it from the body. */
export async function bodyText(endpoint: Endpoint, world: World): Promise<string> {
  const { body } = keyOf(endpoint, world);
  return JSON.stringify({ ...(await endpoint.body(world)), ...(body !== undefined && { apiKey: body }) });
}

/** Whether this reply has the rate limit headers (contract §7). */
export function showsWindow(reply: Reply): boolean {
  const shown = ["ratelimit", "ratelimit-policy"].map((name) => reply.headers.has(name));
  expect(shown[0], "both RateLimit headers or none").toBe(shown[1]);
  return shown[0] ?? false;
}

/** Requests left in the window, and seconds until the oldest one leaves. */
export function windowOf(reply: Reply): { plan: string; left: number; seconds: number } {
  const [, plan = "", left, seconds] = /^"(\w+)";r=(\d+);t=(\d+)$/u.exec(reply.headers.get("ratelimit") ?? "") ?? [];
  return { plan, left: Number(left), seconds: Number(seconds) };
}

/** Expects a success. */
export function expectDone(reply: Reply): void {
  expect(reply.body).toMatchObject({ success: true });
  expect(reply.status).toBe(200);
}

/** Expects a refusal before the account was called: without rate limit headers, because it does not count. */
export function expectEdge(reply: Reply, status: number, code: string, more: Fields = {}): void {
  expect(reply.body).toMatchObject({ code, ...more });
  expect(reply.status).toBe(status);
  expect(showsWindow(reply), "a refusal at the edge shows no window").toBe(false);
}

/** Expects a refusal by the account, after its key check. */
export function expectRefused(reply: Reply, status: number, code: string, more: Fields = {}): void {
  expect(reply.body).toMatchObject({ code, ...more });
  expect(reply.status).toBe(status);
  expect(showsWindow(reply), "a refusal by the account shows its window").toBe(true);
}
