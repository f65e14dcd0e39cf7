import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppEnv } from "../http/app.ts";
import { FailureError } from "../http/errors.ts";
import type { Failure } from "../http/errors.ts";
import { CarrierTextsContext, readCarrierTexts } from "../ui/desk/carrier-set/texts.ts";
import type { CarrierTexts } from "../ui/desk/carrier-set/texts.ts";
import { showDesk } from "./desk-page.tsx";
import type { Refused } from "./forms.ts";
import { viewOf } from "./page.tsx";

// How the desk's pages of carriers and routes answer: with words from a static file.

/** The words of these pages in the reader's language. */
export const carrierTextsOf = (c: Context<AppEnv>): Promise<CarrierTexts> => readCarrierTexts(c.env, viewOf(c).lang);

/** Answers with a page of carriers or routes. */
export function showCarriers(
  c: Context<AppEnv>,
  texts: CarrierTexts,
  content: Child,
  {
    tab = "carriers",
    ...more
  }: {
    tab?: "carriers" | "routes";
    title?: string;
    status?: ContentfulStatusCode;
    refused?: Refused | undefined;
  } = {},
): Response {
  return showDesk(c, tab, <CarrierTextsContext.Provider value={texts}>{content}</CarrierTextsContext.Provider>, more);
}

/** What came of work that the API's routes let end the request where it is refused. */
export async function refusable<T>(
  work: () => Promise<T>,
): Promise<{ ok: true; value: T } | { ok: false; failure: Failure }> {
  try {
    return { ok: true, value: await work() };
  } catch (problem) {
    if (problem instanceof FailureError) return { ok: false, failure: problem.failure };
    throw problem;
  }
}
