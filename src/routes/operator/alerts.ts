import * as z from "zod";
import { sendTestNotice } from "../../alerts/channel.ts";
import { audit } from "../../audit/audit.ts";
import type { Api } from "../../http/app.ts";
import { jsonBody } from "../../http/body.ts";
import type { Docs } from "../../http/docs.ts";
import { fail } from "../../http/errors.ts";
import { operator } from "./operator.ts";

const NO_CHANNEL = "No channel for alerts is configured: ALERT_URL and ALERT_SECRET are missing.";

/** `POST /operator/alerts/test`: sends a test notice to ALERT_URL and shows what came back. */
export const operatorAlerts = (app: Api) =>
  app.post("/operator/alerts/test", operator("alerts"), jsonBody(z.object({})), async (c) => {
    const delivery = await sendTestNotice(c.env, Date.now());
    if (!delivery) return fail("not_found", NO_CHANNEL);
    const { ok, status, tookMs, answer } = delivery;
    await audit(c, { action: "alert.tested", details: { delivered: ok, status } });
    return c.json({ success: true, delivered: ok, status, took_ms: tookMs, answer });
  });

export const docs = {
  "POST /operator/alerts/test": {
    id: "operatorTestAlert",
    tag: "Operator: service",
    summary: "Send a test notice to the channel of alerts",
    reply: "AlertTested",
    codes: ["not_found"],
  },
} satisfies Docs;
