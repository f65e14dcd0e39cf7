import type { Context } from "hono";
import { readRefusedPlace, refusedPage, showRefusedPlace } from "../../activity/refused.ts";
import { page, refOf, show, signedIn, stubOf, viewOf } from "../../console/page.tsx";
import { showKeyId } from "../../crypto/api-key.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { page as pageOf } from "../../http/query.ts";
import { logProblem } from "../../log.ts";
import type { AccountView, KeyView } from "../../model/account.ts";
import type { RefusedPlace, RefusedRequest } from "../../model/requests/refused.ts";
import { Requests } from "../../ui/trail/requests.tsx";
import { requestWords } from "../../ui/words/requests.ts";

const PAGE_SIZE = 30;

/** One more than a page of what was refused before a place; null while the log is unavailable. */
async function refusedOf(
  c: Context<AppEnv>,
  historyDb: number | undefined,
  before: RefusedPlace | null,
): Promise<RefusedRequest[] | null> {
  try {
    return await refusedPage({ env: c.env, ref: refOf(c), historyDb }, before, PAGE_SIZE, Date.now());
  } catch (problem) {
    logProblem("request log", problem);
    return null;
  }
}

/** `GET /requests?older=`: the account's API requests that were refused, newest first. */
export const requestsPage = (app: Api) =>
  app.get("/requests", page, signedIn, async (c) => {
    const stub = stubOf(c);
    const before = readRefusedPlace(c.req.query("older"));
    const [view, keys]: [AccountView | null, KeyView[] | null] = await Promise.all([stub.view(), stub.keys()]);
    const found = await refusedOf(c, view?.historyDb, before);
    const { rows, next } = pageOf(found ?? [], PAGE_SIZE, showRefusedPlace);
    const names = new Map((keys ?? []).map(({ keyId, name }) => [keyId, name]));
    const content = (
      <Requests
        rows={found && rows}
        nameOf={(keyId) => names.get(keyId) ?? showKeyId(keyId)}
        isFirst={before === null}
        older={next}
      />
    );
    return show(c, content, { title: requestWords[viewOf(c).lang].title, active: "activity" });
  });
