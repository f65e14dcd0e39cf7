import { find, findAll, locale, on, toast } from "./dom.ts";

// What every page has: copying, the drawer, tabs, times, shortcuts.

const STYLES: Record<string, Intl.DateTimeFormatOptions> = {
  time: { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" },
  day: { day: "numeric", month: "short" },
  date: { day: "numeric", month: "short", year: "numeric" },
};
const FULL: Intl.DateTimeFormatOptions = { ...STYLES["date"], ...STYLES["time"] };

/**
 * Writes times in Indian time, as the server does: the days of chart, search and invoices are India's. The reader's own
 * time is the title of each.
 */
export function writeTimes(within: ParentNode = document): void {
  for (const time of findAll<HTMLTimeElement>("time[data-style]", within)) {
    const options = STYLES[time.dataset["style"] ?? ""] ?? FULL;
    const at = new Date(time.dateTime);
    time.textContent = new Intl.DateTimeFormat(locale, { ...options, timeZone: "Asia/Kolkata" }).format(at);
    time.title = new Intl.DateTimeFormat(locale, { ...FULL, timeZoneName: "short" }).format(at);
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

/** Opens a part of a page in the drawer. */
async function openDrawer(href: string): Promise<void> {
  const drawer = find<HTMLDialogElement>("#drawer");
  const done = await putPart(href, find("#drawer [data-content]"));
  if (done && drawer && !drawer.open) drawer.showModal();
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

function moveTab(tab: HTMLElement, step: number): void {
  const all = findAll("[role=tab]", tab.parentElement ?? document);
  const next = all[(all.indexOf(tab) + step + all.length) % all.length];
  if (next) selectTab(next);
}

async function copy(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
  toast(find("#toasts")?.dataset["copied"] ?? "");
}

export function startPage(): void {
  writeTimes();
  on("click", "[data-copy]", (button) => copy(button.dataset["copy"] ?? ""));
  on("click", "a[data-drawer]", (link, event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    return openDrawer((link as HTMLAnchorElement).href);
  });
  on("click", "#drawer", (drawer, event) => {
    if (event.target === drawer) (drawer as HTMLDialogElement).close();
  });
  on("click", "[role=tab]", selectTab);
  on("keydown", "[role=tab]", (tab, event) => {
    if (event.key === "ArrowRight") moveTab(tab, 1);
    if (event.key === "ArrowLeft") moveTab(tab, -1);
  });
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
  // Closes an open sheet on a click outside it.
  document.addEventListener("click", (event) => {
    for (const sheet of findAll<HTMLDetailsElement>(".bar details[open]")) {
      if (event.target instanceof Node && !sheet.contains(event.target)) sheet.open = false;
    }
  });
}
