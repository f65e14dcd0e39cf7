// Messages of the Model Context Protocol: JSON-RPC 2.0, one for each POST and one JSON reply (contract §15). Two eras are
// served without a session: those of 2025, which begin with `initialize`, and 2026-07-28, which says its version each time.

/** The version of which every request says in `_meta` that it is of it. */
export const MODERN = "2026-07-28";

/** The versions that `initialize` agrees on, the newest first. */
const BEFORE = ["2025-11-25", "2025-06-18", "2025-03-26"];

/** How long clients may keep a list of tools, in ms: it changes with a release. */
const LIST_TTL_MS = 3_600_000;

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";

/** The codes of JSON-RPC 2.0 §5.1, and of MCP 2026-07-28 (basic, "Error Codes"). */
export const RPC = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  headers: -32_020,
  version: -32_022,
} as const;

export interface RpcFault {
  code: (typeof RPC)[keyof typeof RPC];
  message: string;
  data?: object;
}

type Id = string | number | null;

type Fields = Readonly<Record<string, unknown>>;

/** One message, as it came. */
export type Message =
  | { kind: "request"; id: Id; method: string; params: Fields; modern: boolean }
  | { kind: "notification" }
  | { kind: "fault"; id: Id; fault: RpcFault };

/** What a request says in its headers. */
export interface MessageHeaders {
  version: string | undefined;
  method: string | undefined;
  name: string | undefined;
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const BASE64 = /^=\?base64\?(.*)\?=$/u;

/** A header's value; text beyond ASCII comes as Base64 (2026-07-28, "Value Encoding"). */
function decoded(value: string | undefined): string | undefined {
  const [, encoded] = BASE64.exec(value ?? "") ?? [];
  return encoded === undefined ? value : Buffer.from(encoded, "base64").toString();
}

/** What is wrong with a request's version, or with headers that repeat its body; null where nothing is. */
function versionFault(method: string, params: Fields, claimed: unknown, headers: MessageHeaders): RpcFault | null {
  const supported = [MODERN, ...BEFORE];
  for (const requested of [headers.version, claimed]) {
    if (requested === undefined || supported.some((version) => version === requested)) continue;
    return { code: RPC.version, message: "Unsupported protocol version", data: { supported, requested } };
  }
  if (claimed !== MODERN && headers.version !== MODERN) return null;
  const repeated = { "MCP-Protocol-Version": [headers.version, claimed], "Mcp-Method": [headers.method, method] };
  const named = method === "tools/call" && { "Mcp-Name": [decoded(headers.name), params["name"]] };
  const wrong = Object.entries({ ...repeated, ...named }).find(([, [given, meant]]) => given !== meant);
  return wrong ? { code: RPC.headers, message: `Header mismatch: ${wrong[0]} is not what the body says` } : null;
}

const notRead = (message: string, id: Id = null): Message => ({
  kind: "fault",
  id,
  fault: { code: RPC.request, message },
});

/** Reads a parsed body. Batches, which only 2025-03-26 had and no known client sends, are refused. */
export function messageOf(body: unknown, headers: MessageHeaders): Message {
  if (Array.isArray(body)) return notRead("Batches are not taken: send one message with each request");
  if (!isFields(body) || body["jsonrpc"] !== "2.0") return notRead('A message is an object with "jsonrpc": "2.0"');
  const { id, method, params = {} } = body;
  const known = typeof id === "string" || typeof id === "number" ? id : null;
  if (typeof method !== "string") return notRead("A message has a method", known);
  if (id === undefined) return { kind: "notification" };
  if (known === null) return notRead("An id is a string or a number");
  if (!isFields(params)) {
    return { kind: "fault", id: known, fault: { code: RPC.params, message: "params is an object" } };
  }
  const meta = params["_meta"];
  const claimed = isFields(meta) ? meta[VERSION_KEY] : undefined;
  const wrong = versionFault(method, params, claimed, headers);
  if (wrong) return { kind: "fault", id: known, fault: wrong };
  return { kind: "request", id: known, method, params, modern: claimed === MODERN };
}

/** The HTTP status of a fault: those of a message that was not understood, and of a method that is not there, have one. */
export function statusOfFault({ code }: RpcFault, modern: boolean): 200 | 400 | 404 {
  if (code === RPC.method) return modern ? 404 : 200;
  return code === RPC.params ? 200 : 400;
}

/** Who answers, and what clients tell their model of it. */
export interface About {
  server: { name: string; title: string; version: string };
  instructions: string;
  tools: readonly object[];
}

/** The result of a method that asks about this service itself; null for one that it does not have. */
export function ownResult(method: string, params: Fields, modern: boolean, about: About): object | null {
  const { server, instructions, tools } = about;
  const capabilities = { tools: {} };
  const kept = { ttlMs: LIST_TTL_MS, cacheScope: "public" };
  if (method === "tools/list") return { tools, ...(modern && kept) };
  if (modern) {
    return method === "server/discover"
      ? { supportedVersions: [MODERN, ...BEFORE], capabilities, instructions, ...kept }
      : null;
  }
  if (method === "ping") return {};
  if (method !== "initialize") return null;
  const asked = params["protocolVersion"];
  const protocolVersion = BEFORE.find((version) => version === asked) ?? BEFORE[0];
  return { protocolVersion, capabilities, serverInfo: server, instructions };
}

/** A reply with a result. */
export const resultReply = (id: Id, result: object, modern: boolean, { server }: Pick<About, "server">) => ({
  jsonrpc: "2.0",
  id,
  result: modern
    ? { ...result, resultType: "complete", _meta: { "io.modelcontextprotocol/serverInfo": server } }
    : result,
});

/** A reply with a fault. */
export const faultReply = (id: Id, error: RpcFault) => ({ jsonrpc: "2.0", id, error });
