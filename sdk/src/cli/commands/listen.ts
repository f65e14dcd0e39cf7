import { createHmac } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { signWebhook } from "../../index.ts";
import type { AccountEvent } from "../../index.ts";
import type { Command, Context } from "../command.ts";
import { plain } from "../output.ts";
import { usage } from "../stop.ts";
import { eventLine, isOf } from "./events.ts";

// Webhooks to this machine without a tunnel: the account's events are read here, and delivered from here.

/** How long a receiver may take, as for a delivery of the service (contract §14). */
const DELIVERY_MS = 15_000;

/** The bytes of a secret. */
const SECRET_BYTES = 24;

/**
 * The secret of the deliveries: the same on each start with this key on this machine, so that it is set once, and
 * another on every other machine. It tells nothing of the key.
 */
export function listenSecret(apiKey: string, machine: string): string {
  const bytes = createHmac("sha256", apiKey).update(`dastak webhooks listen ${machine}`).digest();
  return `whsec_${bytes.subarray(0, SECRET_BYTES).toString("base64")}`;
}

/** The address to deliver to; `localhost:3000/hook` and `3000/hook` stand for http. */
function addressOf(text: string): string {
  const full = /^https?:\/\//u.test(text)
    ? text
    : `http://${/^[0-9]{1,5}(?:\/|$)/u.test(text) ? `localhost:${text}` : text}`;
  if (!URL.canParse(full)) throw usage(`${text} is no address.`, "Such as: --forward-to localhost:3000/hook");
  return full;
}

/** The body and the id of an event's delivery (contract §14). */
function deliveryOf({ id, type, at, seq, data }: AccountEvent): { id: string; body: string } {
  return { id, body: JSON.stringify({ type, timestamp: at, seq, data }) };
}

interface Answer {
  status: number | null;
  ms: number;
  error?: string;
}

/** Delivers one event once: a person sees what came of it, and `--after` delivers it again. */
async function deliver(url: string, secret: string, event: AccountEvent, stop: AbortSignal): Promise<Answer> {
  const { id, body } = deliveryOf(event);
  const headers = { "content-type": "application/json", ...(await signWebhook(body, id, secret)) };
  const begun = performance.now();
  const ms = () => Math.round(performance.now() - begun);
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(DELIVERY_MS)]);
    const reply = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
    await reply.arrayBuffer();
    return { status: reply.status, ms: ms() };
  } catch (problem) {
    const { message, cause } = problem as Error & { cause?: { code?: string } };
    return { status: null, ms: ms(), error: cause?.code ?? message };
  }
}

function line(context: Context, event: AccountEvent, { status, ms, error }: Answer): string {
  const good = status !== null && status >= 200 && status < 300;
  const answer = context.out.paint(good ? "green" : "red", plain(status ?? error));
  return `${eventLine(context, event)}\n    ${answer} in ${ms} ms`;
}

/** `dastak webhooks listen`. */
export const listen: Command = {
  name: "webhooks listen",
  about: "Deliver events to a program on this machine, without a tunnel",
  more:
    "Reads the account's events and posts them, signed as the service's deliveries are. The secret is printed; it is the " +
    "same at each start on this machine. An event is posted once, whatever the answer.",
  options: {
    "forward-to": { type: "string", value: "URL", need: true, about: "Such as localhost:3000/hook" },
    type: {
      type: "string",
      short: "t",
      multiple: true,
      about: "Only this type, such as message.delivered or message.*",
    },
    after: { type: "string", value: "SEQ", about: "Begin after this event; 0 is the beginning" },
    "until-now": { type: "boolean", about: "End when no more are there" },
    "print-secret": { type: "boolean", about: "Print the secret and end" },
  },
  examples: ["dastak webhooks listen --forward-to localhost:3000/hook"],
  watches: true,
  async run(context, given) {
    const { out, signal } = context;
    const url = addressOf(given.need("forward-to"));
    const { client, apiKey } = context.connect();
    const secret = listenSecret(apiKey, `${hostname()} ${userInfo().username}`);
    if (given.flag("print-secret")) return out.show({ secret }, secret);
    out.show({ kind: "listening", forward_to: url, secret }, `Secret   ${secret}\nPosts to ${url}; Ctrl-C ends.`);
    const types = given.list("type");
    const after = given.count("after", 0, Number.MAX_SAFE_INTEGER);
    for await (const event of client.events({ after, untilNow: given.flag("until-now"), signal })) {
      if (!isOf(types, event.type)) continue;
      const answer = await deliver(url, secret, event, signal);
      if (signal.aborted) return;
      out.show({ kind: "delivery", event, ...answer }, () => line(context, event, answer));
    }
  },
};
