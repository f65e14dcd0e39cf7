import type { Child, FC, PropsWithChildren } from "hono/jsx";
import { PRODUCT } from "../config/settings.ts";
import built from "./built.json";
import { phoneText, timeText } from "./format.ts";
import { Icon, Mark } from "./icons.tsx";
import type { IconName } from "./icons.tsx";
import { Notice } from "./parts.tsx";
import { useView, useWords } from "./view.ts";
import { peopleWords } from "./words/people.ts";
import { shell } from "./words/shell.ts";

// The frame of every page: head, sidebar, a phone's bottom bar, and the places for toasts and the drawer.

/** The pages of the menu, in their order; the first four are in a phone's bottom bar. */
export const PAGES = [
  { id: "overview", path: "/" },
  { id: "send", path: "/send" },
  { id: "activity", path: "/activity" },
  { id: "inbox", path: "/inbox" },
  { id: "schedule", path: "/schedule" },
  { id: "recordings", path: "/recordings" },
  { id: "keys", path: "/keys" },
  { id: "webhooks", path: "/endpoints" },
  { id: "dlt", path: "/dlt" },
  { id: "billing", path: "/billing" },
  { id: "settings", path: "/settings" },
  { id: "docs", path: "/docs" },
] as const satisfies { id: IconName; path: string }[];

type PageId = (typeof PAGES)[number]["id"];

const BAR_SIZE = 4;

export type DocumentProps = PropsWithChildren<{
  title: string;
  /** Whether the title is English in every language. */
  englishTitle?: boolean;
  /** The page in the menu that this one belongs to. */
  active?: PageId;
  /** Without the menu: sign-in, payment page, invoice. */
  bare?: boolean;
  /** Added to the class of the main element. */
  kind?: string;
  /** In place of the console's own menu: that of the documentation. */
  side?: Child;
  /** The address of the same page as Markdown. */
  twin?: string;
}>;

const NavLink: FC<{ id: PageId; path: string; active: PageId | undefined }> = ({ id, path, active }) => {
  const { at } = useView();
  return (
    <a href={at(path)} {...(id === active && { "aria-current": "page" })}>
      <Icon name={id} />
      <span>{useWords(shell)[id]}</span>
    </a>
  );
};

/** A form of one button that changes a preference of the reader. */
const Preference: FC<
  PropsWithChildren<{ name: string; value: string; label?: string; lang?: string; pressed?: boolean }>
> = ({ name, value, label, lang, pressed, children }) => {
  const { at, path } = useView();
  return (
    <form method="post" action={at("/preferences")}>
      <input type="hidden" name="next" value={path} />
      <button
        class="ghost"
        name={name}
        value={value}
        {...(label !== undefined && { "aria-label": label, title: label })}
        {...(lang !== undefined && { lang })}
        {...(pressed !== undefined && { "aria-pressed": String(pressed) })}
      >
        {children}
      </button>
    </form>
  );
};

/** Language and colours: on every page, also before signing in. */
export const Preferences: FC = () => {
  const t = useWords(shell);
  return (
    <div class="preferences">
      <Preference name="lang" value={t.otherLanguageCode} lang={t.otherLanguageCode}>
        {t.otherLanguage}
      </Preference>
      <div class="for-dark">
        <Preference name="theme" value="light" label={t.light}>
          <Icon name="sun" />
        </Preference>
      </div>
      <div class="for-light">
        <Preference name="theme" value="dark" label={t.dark}>
          <Icon name="moon" />
        </Preference>
      </div>
    </div>
  );
};

const ModeSwitch: FC = () => {
  const t = useWords(shell);
  const { mode } = useView();
  return (
    <div class="modes" role="group" aria-label={t.mode}>
      <Preference name="mode" value="live" pressed={mode === "live"}>
        {t.live}
      </Preference>
      <Preference name="mode" value="test" pressed={mode === "test"}>
        {t.test}
      </Preference>
    </div>
  );
};

const SignOut: FC = () => (
  <form method="post" action={useView().at("/sign-out")}>
    <button class="ghost">
      <Icon name="out" />
      {useWords(shell).signOut}
    </button>
  </form>
);

const Sidebar: FC<{ active: PageId | undefined }> = ({ active }) => {
  const t = useWords(shell);
  const { at } = useView();
  return (
    <header class="side">
      <a class="brand" href={at("/")}>
        <Mark />
        <b>{PRODUCT}</b>
      </a>
      <ModeSwitch />
      <nav class="menu" aria-label={t.main}>
        {PAGES.map(({ id, path }) => (
          <NavLink id={id} path={path} active={active} />
        ))}
      </nav>
      <div class="sidefoot">
        <Preferences />
        <SignOut />
      </div>
    </header>
  );
};

const BottomBar: FC<{ active: PageId | undefined }> = ({ active }) => {
  const t = useWords(shell);
  const rest = PAGES.slice(BAR_SIZE);
  return (
    <nav class="bar" aria-label={t.main}>
      {PAGES.slice(0, BAR_SIZE).map(({ id, path }) => (
        <NavLink id={id} path={path} active={active} />
      ))}
      <details {...(rest.some(({ id }) => id === active) && { class: "current" })}>
        <summary>
          <Icon name="more" />
          <span>{t.more}</span>
        </summary>
        <div class="sheet">
          {rest.map(({ id, path }) => (
            <NavLink id={id} path={path} active={active} />
          ))}
          <SignOut />
        </div>
      </details>
    </nav>
  );
};

/** The notice of a page in test mode, or of a local service, from which no message is really sent. */
const WorldNotice: FC = () => {
  const t = useWords(shell);
  const { mode, local } = useView();
  if (mode === "test") return <p class="world">{t.testNotice}</p>;
  return local ? <p class="world">{t.localNotice}</p> : null;
};

/** On every page while a change of the person's phone waits, because it may not be theirs. */
const PhoneNotice: FC = () => {
  const t = useWords(peopleWords);
  const { person, at, lang } = useView();
  if (!person || person.nextPhone === null || person.nextPhoneAt === null) return null;
  return (
    <Notice tone="info">
      <div class="actions">
        <p>{t.waiting(phoneText(person.nextPhone), timeText(person.nextPhoneAt, "date", lang))}</p>
        <form method="post" action={at("/settings/phone/stop")}>
          <button class="btn quiet">{t.stop}</button>
        </form>
      </div>
    </Notice>
  );
};

/** The HTML document of a page. */
export const Document: FC<DocumentProps> = ({
  title,
  englishTitle = false,
  active,
  bare = false,
  kind = "",
  side,
  twin,
  children,
}) => {
  const t = useWords(shell);
  const { lang, theme, at, mode } = useView();
  const own = !bare && side === undefined;
  return (
    <html lang={lang} data-at={at("")} data-mode={mode} {...(theme && { "data-theme": theme })}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="color-scheme" content={theme ?? "light dark"} />
        <title {...(englishTitle && { lang: "en" })}>{`${title} · ${PRODUCT}`}</title>
        <link rel="icon" href={at("/assets/icon.svg")} type="image/svg+xml" />
        {twin !== undefined && <link rel="alternate" type="text/markdown" href={twin} />}
        <link rel="stylesheet" href={at(`/assets/${built.entries["app.css"]}`)} />
        <script type="module" src={at(`/assets/${built.entries["app.js"]}`)} />
      </head>
      <body class={bare ? "bare" : "shell"}>
        <a class="skip" href="#main">
          {t.skip}
        </a>
        {side ?? (own && <Sidebar active={active} />)}
        <main id="main" class={kind} tabindex={-1}>
          {own && <WorldNotice />}
          {own && <PhoneNotice />}
          {children}
        </main>
        {own && <BottomBar active={active} />}
        <div
          id="toasts"
          class="toasts"
          role="status"
          aria-live="polite"
          data-copied={t.copied}
          data-failed={t.failed}
        />
        <dialog id="drawer" class="drawer" aria-label={t.details}>
          <form method="dialog">
            <button class="ghost close" aria-label={t.close}>
              <Icon name="close" />
            </button>
          </form>
          <div data-content />
        </dialog>
      </body>
    </html>
  );
};
