import { timeText, zonedTimeText } from "../ui/format.ts";
import type { TimeStyle } from "../ui/format.ts";
import { find, findAll, lang, on, toast } from "./dom.ts";

// What every page has: copying, the drawer, tabs, times, shortcuts.

/**
 * Writes times in Indian time, as the server does: the days of chart, search and invoices are India's. The reader's own
 * time is the title of each.
 */
export function writeTimes(within: ParentNode = document): void {
  for (const time of findAll<HTMLTimeElement>("time[data-style]", within)) {
    const at = Date.parse(time.dateTime);
    // The server wrote the attribute, also in the templates.
    time.textContent = timeText(at, time.dataset["style"] as TimeStyle, lang);
    time.title = zonedTimeText(at, lang);
  }
}

/** Loads a part of a page into an element; false, without any change, when it could not be loaded. */
export async function tryPart(href: string, content: HTMLElement): Promise<boolean> {
  const reply = await fetch(href, { headers: { "x-part": "1", accept: "text/html" } }).catch(() => null);
  if (!reply?.ok || reply.redirected) return false;
  // This console rendered the document and escaped every text in it; its policy allows no inline script.
  const parsed = new DOMParser().parseFromString(await reply.text(), "text/html");
  content.replaceChildren(...parsed.body.childNodes);
  writeTimes(content);
  return true;
}

/** Loads a part of a page into an element; when that fails, opens the page itself and returns false. */
export async function putPart(href: string, content: HTMLElement | null): Promise<boolean> {
  const done = content !== null && (await tryPart(href, content));
  if (!done) location.href = href;
  return done;
}

const drawer = () => find<HTMLDialogElement>("#drawer");

const here = () => location.pathname + location.search;

/** The address of what the page shows; while the drawer is open, the browser has the drawer's. */
let shown = here();

/** Gives the browser the address of what the page shows now, as a new entry of its history. */
export function showAddress(href: string): void {
  history.pushState(null, "", href);
  shown = here();
}

/** The page that the drawer shows at the present entry of the history, or null. */
const drawerHref = (): string | null => (history.state as { drawer?: string } | null)?.drawer ?? null;

/** Opens a part of a page in the drawer. */
async function openDrawer(href: string): Promise<boolean> {
  const done = await putPart(href, find("#drawer [data-content]"));
  const dialog = drawer();
  if (done && dialog && !dialog.open) dialog.showModal();
  return done;
}

/** The drawer has the address of the page that it shows: Back closes it, Forward opens it again, reloading stays there. */
function startDrawer(): void {
  on("click", "a[data-drawer]", async (link, event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    const { href } = link as HTMLAnchorElement;
    if (!(await openDrawer(href))) return;
    if (drawerHref() === null) history.pushState({ drawer: href }, "", href);
    else history.replaceState({ drawer: href }, "", href);
  });
  on("click", "#drawer", (dialog, event) => {
    if (event.target === dialog) drawer()?.close();
  });
  drawer()?.addEventListener("close", () => {
    if (drawerHref() !== null) history.back();
  });
  addEventListener("popstate", () => {
    const href = drawerHref();
    if (here() === shown) drawer()?.close();
    else if (href === null) location.reload();
    else void openDrawer(href);
  });
}

function selectTab(tab: HTMLElement): void {
  const tabs = tab.closest("[role=tablist]");
  if (!tabs) return;
  for (const other of findAll("[role=tab]", tabs)) {
    const selected = other === tab;
    other.setAttribute("aria-selected", String(selected));
    other.tabIndex = selected ? 0 : -1;
    const panel = document.querySelector<HTMLElement>(`#${other.getAttribute("aria-controls")}`);
    if (panel) panel.hidden = !selected;
  }
  tab.focus();
}

/** The keys of tabs (WAI-ARIA Authoring Practices, tabs): to the next, the previous, the first and the last. */
function moveTab(tab: HTMLElement, event: KeyboardEvent): void {
  const all = findAll("[role=tab]", tab.parentElement ?? document);
  const place = all.indexOf(tab);
  const places: Record<string, number> = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: -1 };
  const next = places[event.key];
  if (next === undefined) return;
  event.preventDefault();
  const chosen = all.at(next % all.length);
  if (chosen) selectTab(chosen);
}

async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  toast(find("#toasts")?.dataset["copied"] ?? "");
}

/** What a button copies: its text, or without one the code beside it that is shown. */
function textFor(button: HTMLElement): string {
  const shown = () => findAll("pre", button.parentElement ?? document).find((code) => code.checkVisibility());
  return button.dataset["copy"] || (shown()?.textContent ?? "");
}

export function startPage(): void {
  writeTimes();
  on("click", "[data-copy]", (button) => copy(textFor(button)));
  startDrawer();
  on("click", "[role=tab]", selectTab);
  on("keydown", "[role=tab]", moveTab);
  // A form that asks for confirmation; without the script, the page behind its button asks.
  on("submit", "form[data-ask]", (form, event) => {
    if (!confirm(form.dataset["ask"])) event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.closest("input, textarea, select");
    if (typing || event.metaKey || event.ctrlKey || event.altKey || event.key !== "/") return;
    const search = find<HTMLInputElement>("input[type=search]");
    if (!search) return;
    event.preventDefault();
    search.focus();
  });
  on("keydown", ".bar details[open]", (sheet, event) => {
    if (event.key !== "Escape") return;
    (sheet as HTMLDetailsElement).open = false;
    find("summary", sheet)?.focus();
  });
  // Closes an open sheet on a click outside it.
  document.addEventListener("click", (event) => {
    for (const sheet of findAll<HTMLDetailsElement>(".bar details[open]")) {
      if (event.target instanceof Node && !sheet.contains(event.target)) sheet.open = false;
    }
  });
}
