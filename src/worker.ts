import { ConfigError, configOf } from "./config/config.ts";
import type { Config } from "./config/settings.ts";
import { randomId } from "./crypto/ids.ts";
import { housekeeping } from "./housekeeping.ts";
import { destinationOf } from "./http/bases.ts";
import { logProblem } from "./log.ts";
import { consumeDead } from "./queues/dead.ts";
import { consumeHistory } from "./queues/history.ts";
import { consumeLane } from "./queues/lane-consumer.ts";
import { APPS } from "./routes/index.ts";
import { consumeWebhooks } from "./webhooks/consume.ts";

export { Account } from "./durable/account.ts";
export { CarrierIds } from "./durable/carrier-ids.ts";
export { Inbox } from "./durable/inbox.ts";
export { Pace } from "./durable/pace.ts";
export { SmppBind } from "./durable/smpp.ts";

/** The configuration; null where it is invalid, after logging why. */
function configured(env: Env): Config | null {
  try {
    return configOf(env);
  } catch (problem) {
    if (!(problem instanceof ConfigError)) throw problem;
    logProblem("configuration", problem);
    return null;
  }
}

function notConfigured(): Response {
  const error = "The service is not configured; its log says what is missing.";
  const requestId = randomId("req");
  return Response.json(
    { success: false, error, code: "unavailable", request_id: requestId },
    {
      status: 503,
      headers: { "X-Request-Id": requestId, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
    },
  );
}

/**
 * Lets queue messages wait for a mended configuration: after 30 s, and then with gaps that double up to a quarter of an
 * hour, so that their attempts last for hours. A report among them is known to no account.
 */
function postpone(batch: MessageBatch): void {
  for (const message of batch.messages) {
    message.retry({ delaySeconds: Math.min(900, 15 * 2 ** Math.min(10, message.attempts)) });
  }
}

export default {
  async fetch(request, env, ctx): Promise<Response> {
    const config = configured(env);
    if (!config) return notConfigured();
    const url = URL.parse(request.url);
    // A Host that does not parse, such as one with port 99999, is an unknown host: 404.
    if (!url) return APPS.none().fetch(request, env, ctx);
    const { base, path } = destinationOf(config, url);
    if (path === url.pathname) return APPS[base]().fetch(request, env, ctx);
    url.pathname = path;
    return APPS[base]().fetch(new Request(url, request), env, ctx);
  },

  async queue(batch, env, ctx): Promise<void> {
    if (batch.queue.endsWith("-dead")) return consumeDead(batch, env);
    if (!configured(env)) return postpone(batch);
    if (batch.queue.endsWith("-history")) return consumeHistory(batch, env, ctx);
    if (batch.queue.endsWith("-webhooks")) return consumeWebhooks(batch, env);
    return consumeLane(batch, env, ctx);
  },

  async scheduled(_event, env): Promise<void> {
    await housekeeping(env, Date.now());
  },
} satisfies ExportedHandler<Env>;
