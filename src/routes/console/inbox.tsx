import type { Context, MiddlewareHandler } from "hono";
import { PRODUCT } from "../../config/settings.ts";
import { formOf } from "../../console/forms.ts";
import { at, page, personOf, show, showPart, signedIn, viewOf } from "../../console/page.tsx";
import { accountOfName } from "../../crypto/ids.ts";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { inboxNamed, pageInbox } from "../../inbox/landing.ts";
import { inboxSearch } from "../../inbox/search.ts";
import type { InboxMessage } from "../../inbox/types.ts";
import { ENDPOINTS } from "../../model/operations.ts";
import { mediaPath, recordingPath } from "../../recordings/signed-address.ts";
import { speechFor } from "../../speech/made.ts";
import { SEARCH_LENGTH_MAX } from "../../search/terms.ts";
import { curlCommand, keyHeader, reachableUrl } from "../../sending/curl.ts";
import { Mark } from "../../ui/icons.tsx";
import { ForTests, InboxList, inboxPath } from "../../ui/inbox-list.tsx";
import type { Listed } from "../../ui/inbox-list.tsx";
import { Clear, Detail, NoneChosen } from "../../ui/inbox.tsx";
import type { Chosen } from "../../ui/inbox.tsx";
import { Preferences } from "../../ui/layout.tsx";
import { PageHead } from "../../ui/parts.tsx";
import { inbox } from "../../ui/words/inbox.ts";
import { shell } from "../../ui/words/shell.ts";

const ROWS = 50;

/** Local: open to all, since the first sign-up reads its code here. Deployed: only for signed-in people. */
export const inboxReader: MiddlewareHandler<AppEnv> = (c, next) =>
  settings(c).ENVIRONMENT === "local" ? next() : signedIn(c, next);

/** The inbox that the page shows: always of the test account, whatever mode the other pages show. */
export function inboxOf(c: Context<AppEnv>) {
  return inboxNamed(
    c.env,
    pageInbox(settings(c), () => personOf(c).accountId),
  );
}

/** The search in a page's address or form, cut to its maximum length. */
const searchOf = (text: string | undefined) => (text ?? "").slice(0, SEARCH_LENGTH_MAX);

async function listed(c: Context<AppEnv>): Promise<Listed> {
  const q = searchOf(c.req.query("q"));
  const after = c.req.query("after") ?? "";
  const below = /^[0-9]{1,15}$/u.test(after) ? Number(after) : undefined;
  const found: InboxMessage[] = (await inboxOf(c).list({ account: null, q }, { below }, ROWS + 1)) ?? [];
  const messages = found.slice(0, ROWS);
  const next = found.length > ROWS ? String(messages.at(-1)?.seq) : null;
  return { messages, next, q, faults: inboxSearch(q, Date.now()).faults, newest: below === undefined };
}

/** The path of a call's text as sound, where this machine has a voice; a deployed service pays for what it has made. */
async function speechPath(c: Context<AppEnv>, { operation, account, text, content }: InboxMessage) {
  const { ENVIRONMENT, KEY_SECRET, AUDIO_URL_TTL_MS } = settings(c);
  if (ENVIRONMENT !== "local" || operation !== "tts" || text === null) return null;
  const made = await speechFor(c.env, accountOfName(account), text, content).catch(() => null);
  if (!made?.ok) return null;
  return mediaPath(KEY_SECRET, { objectKey: made.objectKey, mime: "audio/wav" }, Date.now() + AUDIO_URL_TTL_MS);
}

async function chosenOf(c: Context<AppEnv>, message: InboxMessage): Promise<Chosen> {
  const { accountId, mode } = accountOfName(message.account);
  const isMine = c.get("person")?.accountId === accountId;
  const audio = recordingPath(settings(c), message.content) ?? (await speechPath(c, message));
  return { message, audio, mine: isMine ? mode : null };
}

/** The commands on the page: one sends, one waits. A local inbox requires no key. */
function samplesOf(c: Context<AppEnv>): { send: string; wait: string } {
  const config = settings(c);
  const { ENVIRONMENT, CONSOLE_URL } = config;
  const local = ENVIRONMENT === "local";
  const header = `${keyHeader(ENDPOINTS.sms)}$KEY`;
  const body = `{"phone":"9876543210","message":"Your code is 482913"}`;
  const wait = `curl "${CONSOLE_URL}/v1/test/inbox/wait?to=9876543210&timeout=30"`;
  return {
    send: curlCommand(reachableUrl(config, ENDPOINTS.sms), header, body),
    wait: local ? wait : `${wait} -H "${header}"`,
  };
}

/** The page: the list, and a message beside it. With `open` the reader chose the message, and a phone shows only it. */
async function inboxPage(
  c: Context<AppEnv>,
  list: Listed,
  message: InboxMessage | undefined,
  open: boolean,
): Promise<Response> {
  const chosen = message && (await chosenOf(c, message));
  const { lang, local, person } = viewOf(c);
  const t = inbox[lang];
  const samples = samplesOf(c);
  const content = (
    <>
      {!person && (
        <nav class="m-out" aria-label={shell[lang].main}>
          <a class="brand" href={at(c, "/")}>
            <Mark />
            <b>{PRODUCT}</b>
          </a>
          <a class="ghost" href={at(c, "/")}>
            {t.overview}
          </a>
          <a class="ghost" href={at(c, "/sign-in?next=/inbox")}>
            {shell[lang].signIn}
          </a>
          <Preferences />
        </nav>
      )}
      <PageHead title={t.title} lead={local ? t.leadLocal : t.leadTest}>
        <Clear q={list.q} />
      </PageHead>
      <div class={open ? "m-cols m-open" : "m-cols"}>
        <div class="m-side stack">
          <InboxList listed={list} chosen={message?.ref} sample={samples.send} />
          <ForTests sample={samples.wait} />
        </div>
        <section class="m-pane" aria-label={t.pane}>
          <a class="ghost m-back" href={at(c, inboxPath("/inbox", list.q))}>
            ← {t.back}
          </a>
          <div id="phone" class="m-detail" data-newest={open ? "" : "1"}>
            {chosen ? <Detail chosen={chosen} q={list.q} /> : <NoneChosen />}
          </div>
        </section>
      </div>
    </>
  );
  return show(c, content, { title: t.title, active: "inbox", bare: !person, kind: "inbox" });
}

async function found(c: Context<AppEnv>, id: string): Promise<InboxMessage> {
  const message: InboxMessage | null = await inboxOf(c).find(null, id);
  return message ?? fail("not_found", "There is no such message in the test inbox.");
}

const ID = "/inbox/:id{(?:msg|call)_[0-9A-Za-z]+}";

/** `/inbox`: the messages that the simulator caught, as a phone would show them. */
export const inboxPages = (app: Api) =>
  app
    .get("/inbox", page, inboxReader, async (c) => {
      const list = await listed(c);
      return inboxPage(c, list, list.messages[0], false);
    })
    .get(ID, page, inboxReader, async (c) => {
      const message = await found(c, c.req.param("id"));
      if (c.req.header("x-part") !== undefined) {
        return showPart(c, <Detail chosen={await chosenOf(c, message)} q={searchOf(c.req.query("q"))} />);
      }
      return inboxPage(c, await listed(c), message, true);
    })
    .post("/inbox/clear", page, inboxReader, async (c) => {
      const { q } = await formOf(c);
      await inboxOf(c).remove({ account: null, q: searchOf(q) });
      return c.redirect(at(c, "/inbox"), 303);
    })
    .post(`${ID}/delete`, page, inboxReader, async (c) => {
      const { q } = await formOf(c);
      await inboxOf(c).removeOne(null, c.req.param("id"));
      return c.redirect(at(c, inboxPath("/inbox", searchOf(q))), 303);
    });
