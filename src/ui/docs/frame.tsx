import type { FC } from "hono/jsx";
import { PRODUCT } from "../../config/settings.ts";
import { Icon, Mark } from "../icons.tsx";
import { Preferences } from "../layout.tsx";
import { useView, useWords } from "../view.ts";
import { docsWords } from "../words/docs.ts";
import { shell } from "../words/shell.ts";
import type { DocsPage } from "./block.ts";
import { Blocks, Text, english } from "./blocks.tsx";
import type { Section } from "./pages.ts";
import type { Hit } from "./search.ts";

// The frame of the documentation: its own menu with a search, and the two kinds of pages.

/** The address of a page. */
export const docsPath = (path: string): string => (path === "" ? "/docs" : `/docs/${path}`);

const Search: FC<{ query: string }> = ({ query }) => {
  const t = useWords(docsWords);
  const { at } = useView();
  return (
    <form class="searchbox" role="search" action={at("/docs/search")}>
      <Icon name="search" />
      <input type="search" name="q" value={query} placeholder={t.search} aria-label={t.search} />
    </form>
  );
};

/** The menu; on a phone it is a list that a link opens. */
export const DocsMenu: FC<{ sections: readonly Section[]; path: string | null; query?: string }> = ({
  sections,
  path,
  query = "",
}) => {
  const t = useWords(docsWords);
  const s = useWords(shell);
  const { at, person } = useView();
  return (
    <header class="side docside">
      <a class="brand" href={at("/docs")}>
        <Mark />
        <b>
          {PRODUCT} {s.docs}
        </b>
      </a>
      <a class="ghost docopen" href="#contents">
        {t.contents}
      </a>
      <div class="docbar">
        <a class="ghost" href={at(person ? "/" : "/sign-in")}>
          {person ? t.dashboard : s.signIn}
        </a>
        <Preferences />
      </div>
      <Search query={query} />
      <nav class="doccontents" id="contents" aria-label={t.contents}>
        {sections.map(({ title, entries, ...section }) => (
          <section>
            <h2 {...english(section.english)}>{title}</h2>
            <ul>
              {entries.map((entry) => (
                <li>
                  <a
                    href={at(docsPath(entry.path))}
                    {...english(entry.english)}
                    {...(entry.path === path && { "aria-current": "page" })}
                  >
                    {entry.title}
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
    </header>
  );
};

/** One page. */
export const DocsArticle: FC<{ page: DocsPage }> = ({ page }) => {
  const t = useWords(docsWords);
  const { at } = useView();
  const twin = `${docsPath(page.path)}.md`;
  return (
    <article class="prose">
      <p class="dim small">
        {t.twin} <a href={at(twin)}>{twin}</a> · {t.twins} <a href={at("/llms.txt")}>/llms.txt</a>
      </p>
      <h1 {...english(page.english)}>{page.title}</h1>
      {page.lead !== "" && (
        <p class="lead">
          <Text text={page.lead} />
        </p>
      )}
      <Blocks of={page.blocks} />
    </article>
  );
};

/** The pages that a search found. */
export const DocsFound: FC<{ query: string; hits: readonly Hit[] }> = ({ query, hits }) => {
  const t = useWords(docsWords);
  const { at } = useView();
  const said = hits.length === 0 ? t.foundNone(query) : t.found(hits.length, query);
  return (
    <article class="prose">
      <h1>{t.searchTitle}</h1>
      <p class="lead">{query === "" ? t.searchLead : <bdi>{said}</bdi>}</p>
      {hits.length > 0 && (
        <ul class="dochits">
          {hits.map(({ page, excerpt }) => (
            <li>
              <a href={at(docsPath(page.path))} {...english(page.english)}>
                {page.title}
              </a>
              <p class="dim small" {...english(page.english)}>
                {excerpt}
              </p>
            </li>
          ))}
        </ul>
      )}
    </article>
  );
};
