import type { Context, MiddlewareHandler } from "hono";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppEnv } from "../http/app.ts";
import { fail } from "../http/errors.ts";
import { findSession } from "../sign-in/sessions.ts";
import { DeskFrame } from "../ui/desk/frame.tsx";
import type { DeskTab } from "../ui/desk/frame.tsx";
import { deskWords } from "../ui/words/desk.ts";
import { refusedStatus } from "./forms.ts";
import type { Refused } from "./forms.ts";
import { at, safeNext, show, viewOf, wantsJson } from "./page.tsx";

// What the pages of the operator's desk share. The operator has a separate session: a customer's session does not open
// the desk, and the operator's does not open a customer's pages.

/** Middleware of the desk's pages: without the operator's session it redirects to the page that asks for the token. */
export const atDesk: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (await findSession(c, "operator")) return next();
  if (wantsJson(c)) return fail("unauthorized", deskWordsOf(c).closed, { forReader: true });
  const path = c.req.method === "GET" ? c.req.path + new URL(c.req.url).search : "/desk";
  return c.redirect(`${at(c, "/desk/sign-in")}?next=${encodeURIComponent(safeNext(path))}`, 303);
};

/** The desk's words in the reader's language. */
export const deskWordsOf = (c: Context<AppEnv>) => deskWords[viewOf(c).lang];

/** Answers with a page of the desk; if it shows a refused form, with the status of the refusal. */
export function showDesk(
  c: Context<AppEnv>,
  tab: DeskTab,
  content: Child,
  {
    title,
    status = 200,
    refused,
  }: { title?: string; status?: ContentfulStatusCode; refused?: Refused | undefined } = {},
): Response {
  return show(c, <DeskFrame tab={tab}>{content}</DeskFrame>, {
    title: title ?? deskWordsOf(c).tabs[tab],
    bare: true,
    kind: "desk",
    status: refused ? refusedStatus(c, refused) : status,
  });
}

/** The sentence for the action named in `?done=`; undefined for none and for an unknown one. */
export function doneOf(c: Context<AppEnv>): string | undefined {
  const done = c.req.query("done") ?? "";
  const said: Readonly<Record<string, string>> = deskWordsOf(c).done;
  return Object.hasOwn(said, done) ? said[done] : undefined;
}
