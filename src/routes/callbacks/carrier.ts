import type { Context } from "hono";
import { readReceipts } from "../../carriers/table.ts";
import { objectName, readMessageId, unlistedSecretOfMessage } from "../../crypto/ids.ts";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { logLine } from "../../log.ts";
import type { News } from "../../model/message.ts";
import { paceOf } from "../../queues/pace/clients.ts";
import { deliverSoon } from "../../webhooks/deliver.ts";

/** What the account replies to receipts. */
type Told = true | "webhooks" | null;

const UNPROVED = "The signature is missing, wrong or too old.";
const UNREADABLE = "Receipts cannot be read at the moment; repeat the request.";

/** Takes receipts that came to a name, and tells the accounts. */
async function receive(c: Context<AppEnv>, name: string, token: string | null) {
  const { KEY_SECRET } = settings(c);
  const receipts = await readReceipts(c.env, c.executionCtx, { name, token, request: c.req.raw });
  if (receipts === undefined) return fail("not_found", "There is nothing at this address.");
  if (receipts === "forged") return fail("unauthorized", UNPROVED);
  if (receipts === "unreadable") return fail("unavailable", UNREADABLE);
  if (receipts === "invalid") {
    return fail("invalid_request", "A receipt needs ref and a state: submitted, delivered, undelivered or failed.");
  }
  const byAccount = new Map<string, News[]>();
  const known: typeof receipts = [];
  let unlisted: number | null = null;
  for (const { ref, state, code } of receipts) {
    const place = readMessageId(KEY_SECRET, ref);
    // An unknown ref is skipped and gets a 200 too: otherwise the carrier would only send it again.
    if (!place) {
      unlisted ??= unlistedSecretOfMessage(KEY_SECRET, ref);
      continue;
    }
    known.push({ ref, state });
    const { seq, index } = place;
    const news = byAccount.get(objectName(place)) ?? [];
    news.push({ kind: "receipt", seq, index, state, carrier: name, ...(code !== undefined && { code }) });
    byAccount.set(objectName(place), news);
  }
  if (unlisted !== null) logLine("receipt_lost", { carrier: name, unlisted_secret: unlisted });
  for (const [account, news] of byAccount) {
    // One account's receiver may be slow, and another account's webhooks must not wait for it.
    const told: Told = await c.env.ACCOUNT.getByName(account).report(news, false, false, byAccount.size === 1);
    if (told === "webhooks") deliverSoon(c.env, c.executionCtx, account);
  }
  if (known.length > 0) paceOf(c.env, name).receipts(c.executionCtx, known);
  return c.json({ success: true });
}

/**
 * `/callbacks/:carrier`, with the token of a carrier that signs nothing: delivery receipts, proved as their carrier's kind
 * proves them (contract §11, §16).
 */
export const carrierCallback = (app: Api) => {
  // Gateways that sign nothing call back with either method, and are told so where they leave their token out.
  app.on(["GET", "POST"], "/callbacks/:carrier", (c) => receive(c, c.req.param("carrier"), null));
  app.on(["GET", "POST"], "/callbacks/:carrier/:token", (c) =>
    receive(c, c.req.param("carrier"), c.req.param("token")),
  );
};
