// The work of one send, identical for all Node peers; only the store differs.
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { hashOf } from "./accounts.mjs";

const PHONE = /^[6-9]\d{9}$/u;
const SENDER = /^[A-Z0-9]{3,11}$/iu;
const MESSAGE_LENGTH_MAX = 160;

/** The fault of a body, or null. Written by hand, because a schema library costs a Node server a tenth more. */
function faultOf(body) {
  if (typeof body !== "object" || body === null) return "the body must be an object";
  if (typeof body.phone !== "string" || !PHONE.test(body.phone)) return "phone must be an Indian mobile number";
  const { message, senderId } = body;
  if (typeof message !== "string" || message.length < 1 || message.length > MESSAGE_LENGTH_MAX) {
    return `message must have 1 to ${MESSAGE_LENGTH_MAX} characters`;
  }
  if (senderId !== undefined && !(typeof senderId === "string" && SENDER.test(senderId))) {
    return "senderId must have 3 to 11 letters or digits";
  }
  return null;
}

const refusal = (c, status, error) => c.json({ success: false, error }, status);

/**
 * The API on top of a store: `accountOf(keyHash)` returns an account's id or undefined, `admits(id)` counts a request
 * in the account's window, `send(id, body)` debits and stores in one transaction and returns coins used and left, or
 * null.
 */
function appOf({ accountOf, admits, send }) {
  const app = new Hono();
  app.post("/send-sms", async (c) => {
    const key = /^Bearer (\S+)$/u.exec(c.req.header("Authorization") ?? "")?.[1];
    if (key === undefined) return refusal(c, 401, "a key is missing");
    const body = await c.req.json().catch(() => null);
    const fault = faultOf(body);
    if (fault !== null) return refusal(c, 400, fault);
    const account = await accountOf(hashOf(key));
    if (account === undefined) return refusal(c, 401, "the key is unknown");
    if (!(await admits(account))) return refusal(c, 429, "too many requests");
    const sent = await send(account, body);
    if (sent === null) return refusal(c, 403, "the balance is too low");
    const message = "SMS queued for delivery";
    return c.json({ success: true, message, coins_used: sent.used, coins_remaining: sent.left });
  });
  return app;
}

/** Serves the API of a store on a local port; `stop` waits for requests in progress. */
export function serveOver(store, port) {
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: appOf(store).fetch, port, hostname: "127.0.0.1" }, () => {
      resolve({
        stop: () =>
          new Promise((ended) => {
            server.close(ended);
            server.closeIdleConnections();
          }),
      });
    });
    server.once("error", reject);
  });
}
