import type { Shape } from "./wire-shape.ts";
import { WAYS } from "./wire-ways.ts";

/** The account's questions of its own API (contract §13), and the ways in, as wire-endpoints.ts lists endpoints. */
export const QUESTIONS: Record<string, Shape> = {
  ...WAYS,
  "GET /v1/messages": { query: { q: "to:9876 -kind:otp key:first", limit: "2", after: "5.0" } },
  "GET /v1/messages.csv": { query: { q: "state:delivered,failed" } },
  "GET /v1/messages/:id": {},
  "GET /v1/requests/:request_id": { query: { limit: "2", after: "5.0" } },
  "DELETE /v1/messages/:id": {},
  "DELETE /v1/requests/:request_id": {},
  "GET /v1/refusals": { query: { limit: "2", after: "1793491200000.req_x" } },
  "POST /v1/preflight": { json: { operation: "sms", phone: "9876543210", message: "It’s here" } },
  "GET /v1/account": {},
  "PATCH /v1/account": { json: { balance_low_at: 12.5 } },
  "GET /v1/events": { query: { after: "0", limit: "2", wait: "0.1" } },
  "GET /v1/events/live": { query: { after: "0" }, socket: true },
  "POST /mcp": {
    json: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "send_sms", arguments: { phone: "9876543210", message: "Hello" }, _meta: {} },
    },
  },
};
