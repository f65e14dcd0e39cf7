import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { CallToolResult } from "@modelcontextprotocol/client";
import { exports } from "cloudflare:workers";
import { bearer, post } from "./world.ts";
import type { Reply } from "./world.ts";

// MCP as its own client speaks it, and as bare messages.

export const MCP_URL = "http://console.localhost/mcp";

export const MODERN = "2026-07-28";

/** How a client finds the version: by asking, or by a version of either era. */
export const MODES = {
  auto: { mode: "auto" },
  pinned: { mode: { pin: MODERN } },
  legacy: { mode: "legacy" },
} as const;

export type ModeName = keyof typeof MODES;

/** A connected client with this key; the caller closes it. */
export async function mcpClient(apiKey: string, mode: ModeName = "pinned"): Promise<Client> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: MODES[mode] });
  const transport = new StreamableHTTPClientTransport(new URL(MCP_URL), {
    requestInit: { headers: bearer(apiKey) },
    fetch: (url, init) => exports.default.fetch(String(url), init),
  });
  await client.connect(transport);
  return client;
}

/** What a tool told the model; its text says the same. */
export function toldBy(result: CallToolResult): Record<string, unknown> {
  const [content] = result.content;
  const told = result.structuredContent as Record<string, unknown>;
  if (content?.type !== "text" || content.text !== JSON.stringify(told)) throw new Error("the text says another thing");
  if (result.isError !== (told["success"] !== true)) throw new Error("isError is not what the envelope says");
  return told;
}

/** One bare message of the era before 2026-07-28. */
export const rpc = (apiKey: string, message: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  post(MCP_URL, message, { ...bearer(apiKey), ...headers });

/** Calls a tool by a bare message, and returns what it told. */
export async function tool(apiKey: string, name: string, given: object = {}): Promise<Record<string, unknown>> {
  const { status, body, text } = await rpc(apiKey, {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: given },
  });
  if (status !== 200 || body.result === undefined) throw new Error(`${status} ${text}`);
  return toldBy(body.result as CallToolResult);
}
