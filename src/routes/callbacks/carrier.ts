import { carrierNamed } from "../../carriers/table.ts";
import { objectName, readMessageId, unlistedSecretOfMessage } from "../../crypto/ids.ts";
import { settings } from "../../http/app.ts";
import type { Api } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { logLine } from "../../log.ts";
import type { News } from "../../model/message.ts";
import { deliverSoon } from "../../webhooks/deliver.ts";

/** What the account replies to receipts. */
type Told = true | "webhooks" | null;

/** `POST /callbacks/:carrier`: delivery receipts, authenticated as their carrier does it (contract §11). */
export const carrierCallback = (app: Api) =>
  app.post("/callbacks/:carrier", async (c) => {
    const config = settings(c);
    const receipts = await carrierNamed(config, c.req.param("carrier"))?.receipts?.(c.req.raw);
    if (receipts === undefined) return fail("not_found", "There is nothing at this address.");
    if (receipts === "forged") return fail("unauthorized", "The signature is missing, wrong or too old.");
    if (receipts === "invalid") {
      return fail("invalid_request", "A receipt needs ref and a state: submitted, delivered, undelivered or failed.");
    }
    const byAccount = new Map<string, News[]>();
    let unlisted: number | null = null;
    for (const { ref, state, code } of receipts) {
      const place = readMessageId(config.KEY_SECRET, ref);
      // An unknown ref is skipped and gets a 200 too: otherwise the carrier would only send it again.
      if (!place) {
        unlisted ??= unlistedSecretOfMessage(config.KEY_SECRET, ref);
        continue;
      }
      const { seq, index } = place;
      const news = byAccount.get(objectName(place)) ?? [];
      news.push({ kind: "receipt", seq, index, state, ...(code !== undefined && { code }) });
      byAccount.set(objectName(place), news);
    }
    if (unlisted !== null) logLine("receipt_lost", { carrier: c.req.param("carrier"), unlisted_secret: unlisted });
    for (const [name, news] of byAccount) {
      // One account's receiver may be slow, and another account's webhooks must not wait for it.
      const told: Told = await c.env.ACCOUNT.getByName(name).report(news, false, false, byAccount.size === 1);
      if (told === "webhooks") deliverSoon(c.env, c.executionCtx, name);
    }
    return c.json({ success: true });
  });
