import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { keysOfAccount, isUsable, revealKey } from "../../accounts/keys.ts";
import { at, page, show, viewOf } from "../../console/page.tsx";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { fail } from "../../http/errors.ts";
import { logProblem } from "../../log.ts";
import { openApi } from "../../openapi/served.ts";
import { twinOf } from "../../ui/docs/agents.ts";
import { DocsArticle, DocsFound, DocsMenu, docsPath } from "../../ui/docs/frame.tsx";
import { allPages, pageAt, sections } from "../../ui/docs/pages.ts";
import { valuesOf } from "../../ui/docs/reader.ts";
import type { Reader } from "../../ui/docs/reader.ts";
import { readTexts } from "../../ui/docs/texts.ts";
import { QUERY_LENGTH_MAX, search } from "../../ui/docs/search.ts";
import { docsWords } from "../../ui/words/docs.ts";

/** The newest usable test key of the signed-in person's account. A page is shown without it where it cannot be read. */
async function testKeyOf(c: Context<AppEnv>): Promise<string | null> {
  const accountId = c.get("person")?.accountId;
  if (accountId === undefined) return null;
  const secrets = settings(c).KEY_SECRET;
  try {
    const { keys } = await keysOfAccount(c.env, secrets, { accountId, mode: "test" }, Date.now());
    const key = keys.find(isUsable);
    return key ? revealKey(secrets, accountId, key) : null;
  } catch (problem) {
    logProblem("docs", problem);
    return null;
  }
}

/** A stranger's view of the documentation, in the language that the request asks for. */
async function readerOf(c: Context<AppEnv>): Promise<Reader> {
  const config = settings(c);
  return {
    lang: viewOf(c).lang,
    document: await openApi(c.env, "api"),
    texts: await readTexts(c.env),
    values: valuesOf(config),
    testKey: null,
    signedIn: Boolean(c.get("person")),
  };
}

/** Whether the client would rather have Markdown than HTML; no browser asks for it. */
const wantsMarkdown = (c: Context<AppEnv>): boolean =>
  accepts(c, { header: "Accept", supports: ["text/html", "text/markdown"], default: "text/html" }) === "text/markdown";

const missing = () => fail("not_found", "There is nothing at this address.");

/** A page as Markdown. */
function answerTwin(c: Context<AppEnv>, reader: Reader, path: string) {
  const found = pageAt(path, reader) ?? missing();
  return c.body(twinOf(found, reader), 200, { "Content-Type": "text/markdown; charset=utf-8" });
}

/** `/docs` and its pages: HTML, or Markdown where the address ends in `.md` or the client asks for it. */
async function answer(c: Context<AppEnv>, path: string): Promise<Response> {
  // The language depends on a cookie, too, and the samples on the session.
  c.header("Vary", "Accept, Accept-Language, Cookie");
  if (path.endsWith(".md")) return answerTwin(c, await readerOf(c), path.slice(0, -".md".length));
  if (wantsMarkdown(c)) return answerTwin(c, await readerOf(c), path);
  const reader = { ...(await readerOf(c)), testKey: await testKeyOf(c) };
  const found = pageAt(path, reader) ?? missing();
  return show(c, <DocsArticle page={found} />, {
    title: found.title,
    englishTitle: found.english === true,
    kind: "docs",
    side: <DocsMenu sections={sections(reader)} path={path} />,
    twin: at(c, `${docsPath(path)}.md`),
  });
}

/** `/docs`: guides, one page for each operation, and a search over them. */
export const docsPages = (app: Api) => {
  app.get("/docs", page, (c) => answer(c, ""));
  app.get("/docs.md", page, (c) => answer(c, ".md"));

  app.get("/docs/search", page, async (c) => {
    const query = (c.req.query("q") ?? "").slice(0, QUERY_LENGTH_MAX).trim();
    const reader = await readerOf(c);
    return show(c, <DocsFound query={query} hits={search(allPages(reader), query)} />, {
      title: docsWords[reader.lang].searchTitle,
      kind: "docs",
      side: <DocsMenu sections={sections(reader)} path={null} query={query} />,
    });
  });

  app.get("/docs/api/:operation", page, (c) => answer(c, `api/${c.req.param("operation")}`));
  app.get("/docs/:guide", page, (c) => answer(c, c.req.param("guide")));
};
