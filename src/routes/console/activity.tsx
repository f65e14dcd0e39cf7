import type { Context } from "hono";
import { activityCsv } from "../../activity/csv.ts";
import { ACTIVITY_OPERATORS, newerPage, olderPage, readPlace, withKeys } from "../../activity/list.ts";
import { priceOf, replyOf, requestOf, shownText } from "../../activity/message-detail.ts";
import { page, personOf, refOf, show, showPart, signedIn, stubOf, viewOf } from "../../console/page.tsx";
import { messageId, readMessageId } from "../../crypto/ids.ts";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import type { KeyView } from "../../model/account.ts";
import { INDIA_OFFSET_MS } from "../../text/india.ts";
import type { MessageDetail } from "../../model/message-detail.ts";
import { objectOf } from "../../objects.ts";
import { parseSearch } from "../../search/parse.ts";
import { curlOf } from "../../sending/curl.ts";
import { Activity } from "../../ui/activity.tsx";
import { phoneText, timeText } from "../../ui/format.ts";
import { Story } from "../../ui/story.tsx";
import { faultText } from "../../ui/words/search.ts";
import { shell } from "../../ui/words/shell.ts";

/** The search of a request, with the account's keys, which its terms may name. */
async function searchOf(c: Context<AppEnv>) {
  const q = c.req.query("q") ?? "";
  const stub = stubOf(c);
  const keys: KeyView[] = (await stub.keys()) ?? [];
  const search = withKeys(parseSearch(q, { nowMs: Date.now(), operators: ACTIVITY_OPERATORS }), keys);
  return { q, keys, ...search, source: { env: c.env, ref: refOf(c), stub } };
}

/** `GET /activity?q=&older=&newer=`: the account's messages, newest first, 50 to a page. */
const list = (app: Api) =>
  app.get("/activity", page, signedIn, async (c) => {
    const { q, keys, terms, faults, source } = await searchOf(c);
    const newer = readPlace(c.req.query("newer"));
    const found = newer
      ? await newerPage(source, terms, newer)
      : await olderPage(source, terms, readPlace(c.req.query("older")));
    const names = new Map(keys.map(({ keyId, name }) => [keyId, name]));
    const { KEY_SECRET } = settings(c);
    const content = (
      <Activity
        {...found}
        q={q}
        faults={faults}
        idOf={(row) => messageId(KEY_SECRET, source.ref, row.operation, row)}
        nameOf={(keyId) => names.get(keyId)}
      />
    );
    return show(c, content, { title: shell[viewOf(c).lang].activity, active: "activity" });
  });

/** `GET /activity.csv?q=`: the same search as a file, read from storage only as fast as the client downloads it. */
const csv = (app: Api) =>
  app.get("/activity.csv", page, signedIn, async (c) => {
    const { keys, terms, faults, source } = await searchOf(c);
    const [fault] = faults;
    // A file cannot show the fault beside its rows, and rows without the faulty term would be the wrong ones.
    if (fault) {
      fail("invalid_request", faultText(fault, viewOf(c).lang, ACTIVITY_OPERATORS), { param: "q", forReader: true });
    }
    // The date in the file's name is that of India, where its reader is.
    const day = new Date(Date.now() + INDIA_OFFSET_MS).toISOString().slice(0, 10);
    return c.body(activityCsv(source, settings(c).KEY_SECRET, terms, keys), 200, {
      "Content-Type": "text/csv; charset=utf-8; header=present",
      "Content-Disposition": `attachment; filename="activity-${day}.csv"`,
    });
  });

/** `GET /activity/:id`: one message; with `x-part: 1` only the content of the drawer. */
const one = (app: Api) =>
  app.get("/activity/:id", page, signedIn, async (c) => {
    const config = settings(c);
    const id = c.req.param("id");
    const place = readMessageId(config.KEY_SECRET, id);
    const own = place?.accountId === personOf(c).accountId ? place : null;
    const story: MessageDetail | null = own && (await objectOf(c.env, own).messageDetail(own));
    if (!own || !story) return fail("not_found", "There is nothing at this address.");
    const part = c.req.header("x-part") === "1";
    const shown = shownText(config, own, story);
    const request = requestOf(config, story, shown);
    const content = (
      <Story
        id={id}
        mode={own.mode}
        story={story}
        shown={shown}
        price={priceOf(story, shown)}
        curl={request && curlOf(request)}
        reply={replyOf(config, own, story, shown)}
        part={part}
      />
    );
    if (part) return showPart(c, content);
    const { lang } = viewOf(c);
    const title = `${phoneText(story.message.to)}, ${timeText(story.message.createdAt, "full", lang)}`;
    return show(c, content, { title, active: "activity" });
  });

/** `/activity`: the account's messages, as a list, as a file, and each on its own page. */
export const activityPages = (app: Api) => {
  for (const add of [list, csv, one]) add(app);
};
