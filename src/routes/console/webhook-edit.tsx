import type { Context } from "hono";
import { audit } from "../../audit/audit.ts";
import { formOf, refusedStatus } from "../../console/forms.ts";
import type { Refused } from "../../console/forms.ts";
import { at, freshlySignedIn, page, refOf, show, signedIn, stubOf, viewOf } from "../../console/page.tsx";
import { objectName } from "../../crypto/ids.ts";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import type { Endpoint, EndpointRefusal, EndpointTerms } from "../../model/webhook.ts";
import type { Unsaved } from "../../ui/parts.tsx";
import { ConfirmEdit, EditWebhook } from "../../ui/webhooks/edit.tsx";
import { effectsOf, isSame } from "../../ui/webhooks/effects.ts";
import { webhookWords } from "../../ui/words/webhooks.ts";
import { deliverSoon } from "../../webhooks/deliver.ts";
import { DESCRIPTION_MAX, refusedAddress } from "../../webhooks/guard.ts";
import { TYPES_MAX, TYPE_FILTERS } from "../../webhooks/types.ts";

const wordsOf = (c: Context<AppEnv>) => webhookWords[viewOf(c).lang];
const idOf = (c: Context<AppEnv>) => c.req.param("webhook") ?? "";
const missing = () => fail("not_found", "There is no such webhook.");

/** What a form says of a webhook, in its owner's words; or why that cannot be, at its field. */
export function termsIn(
  c: Context<AppEnv>,
  typed: Record<string, string>,
): { ok: true; terms: EndpointTerms } | { ok: false; refused: Refused & Unsaved } {
  const t = wordsOf(c);
  const { types = "", description = "", batch } = typed;
  const refuse = (field: string, error: string) => {
    const refused: Refused & Unsaved = { code: "invalid_request", error, field, typed };
    return { ok: false, refused } as const;
  };
  const url = (typed["url"] ?? "").trim();
  const fault = refusedAddress(settings(c), url);
  if (fault !== null) return refuse("url", t.badUrl[fault]);
  const asked = types.split(/[\s,]+/u).filter((type) => type !== "");
  const areTypes = asked.length > 0 && asked.length <= TYPES_MAX && asked.every((type) => TYPE_FILTERS.includes(type));
  if (!areTypes) return refuse("types", t.badTypes);
  if (description.length > DESCRIPTION_MAX) return refuse("description", t.badDescription);
  return { ok: true, terms: { url, types: asked, batch: batch === "on", description } };
}

async function found(c: Context<AppEnv>): Promise<Endpoint> {
  const of: { endpoint: Endpoint } | null = await stubOf(c).endpoint(idOf(c));
  return of?.endpoint ?? missing();
}

function form(c: Context<AppEnv>, of: Endpoint, refused?: Refused & Unsaved): Response | Promise<Response> {
  const status = refusedStatus(c, refused);
  return show(c, <EditWebhook of={of} unsaved={refused} />, {
    title: wordsOf(c).editTitle,
    active: "webhooks",
    status,
  });
}

async function change(c: Context<AppEnv>): Promise<Response> {
  const of = await found(c);
  const typed = await formOf(c);
  const read = termsIn(c, typed);
  if (!read.ok) return form(c, of, read.refused);
  const { terms } = read;
  const back = at(c, `/endpoints/${of.id}`);
  if (isSame(of, terms)) return c.redirect(`${back}?done=same`, 303);
  const effects = effectsOf(of, terms);
  // What was confirmed is what happens: a webhook that was changed in between is asked about again.
  if (effects.join(" ") !== (typed["confirmed"] ?? "")) {
    const asked = <ConfirmEdit of={of} terms={terms} effects={effects} />;
    return show(c, asked, { title: wordsOf(c).confirmTitle, active: "webhooks" });
  }
  const changed: Endpoint | EndpointRefusal | null = await stubOf(c).changeEndpoint(of.id, terms);
  if (changed === null || typeof changed === "string") return missing();
  await audit(c, { action: "webhook.changed", subject: of.id, details: { mode: refOf(c).mode } });
  deliverSoon(c.env, c.executionCtx, objectName(refOf(c)));
  return c.redirect(`${back}?done=saved`, 303);
}

/** `/endpoints/:webhook/edit`: changes a webhook, after its owner has read what that means for events that wait. */
export const webhookEditPages = (app: Api) => {
  app.get("/endpoints/:webhook/edit", page, signedIn, freshlySignedIn, async (c) => form(c, await found(c)));
  app.post("/endpoints/:webhook/edit", page, signedIn, freshlySignedIn, (c) => change(c));
};
