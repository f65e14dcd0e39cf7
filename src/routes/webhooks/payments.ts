import { settings } from "../../http/app.ts";
import type { Api } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { readText } from "../../http/streams.ts";
import { logLine } from "../../log.ts";
import { settleEvent } from "../../payments/settle.ts";
import { providerNamed } from "../../payments/table.ts";

/** The largest body that is read; a provider's webhook has a few kB. */
const WEBHOOK_BYTES_MAX = 65_536;

/**
 * `POST /webhooks/payments/:provider`: events of a payment provider. 200 if the event is stored or of no interest; 401
 * if it is not genuine; 5xx if it could not be stored, so that the provider sends it again.
 */
export const paymentWebhooks = (app: Api) =>
  app.post("/webhooks/payments/:provider", async (c) => {
    const provider = providerNamed(settings(c), c.req.param("provider"));
    if (!provider) return fail("not_found", "There is nothing at this address.");
    // Bytes that are not text carry no valid signature, since providers sign text.
    const raw = await readText(c.req.raw, WEBHOOK_BYTES_MAX).catch(() => null);
    const nowMs = Date.now();
    const event = raw === null ? "forged" : provider.parseWebhook(raw, c.req.raw.headers, nowMs);
    if (event === "forged") return fail("unauthorized", "The signature is missing, wrong or too old.");
    if (event === "ignored") logLine("payment_event_ignored", { provider: provider.name });
    else await settleEvent(c.env, provider.name, event, nowMs);
    return c.json({ success: true });
  });
