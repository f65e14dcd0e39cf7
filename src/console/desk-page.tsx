import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AppEnv } from "../http/app.ts";
import { DeskFrame } from "../ui/desk/frame.tsx";
import type { DeskTab } from "../ui/desk/frame.tsx";
import { deskAccess, deskWords } from "../ui/desk/words.ts";
import { refusedStatus } from "./forms.ts";
import type { Refused } from "./forms.ts";
import { show, viewOf } from "./page.tsx";

// How the pages of the operator's desk answer.

/** The desk's words in the reader's language. */
export const deskWordsOf = (c: Context<AppEnv>) => deskWords[viewOf(c).lang];

/** The words of the desk's newer pages, in the reader's language. */
export const deskAccessOf = (c: Context<AppEnv>) => deskAccess[viewOf(c).lang];

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
    title: title ?? { ...deskWordsOf(c).tabs, ...deskAccessOf(c).tabs }[tab],
    bare: true,
    kind: "desk",
    status: refused ? refusedStatus(c, refused) : status,
  });
}

/** The sentence for the action named in `?done=`; undefined for none and for an unknown one. */
export function doneOf(c: Context<AppEnv>): string | undefined {
  const done = c.req.query("done") ?? "";
  const said: Readonly<Record<string, string>> = { ...deskWordsOf(c).done, ...deskAccessOf(c).done };
  return Object.hasOwn(said, done) ? said[done] : undefined;
}
