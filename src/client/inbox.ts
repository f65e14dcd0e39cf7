import type { LiveEvent, LiveMessage } from "../inbox/event.ts";
import { phoneText } from "../ui/format.ts";
import { find, findAll, on } from "./dom.ts";
import { startFeed } from "./feed.ts";
import { putPart, showAddress, writeTimes } from "./page.ts";

// The test inbox: new rows appear live, and the phone changes without loading another page.

const ROWS_MAX = 50;
/** Debounce: a bulk adds many rows, of which the phone shows only the last. */
const SETTLE_MS = 120;

/** Where the list and the phone are side by side. */
const wide = matchMedia("(min-width: 901px)");

/** A row like the server's: a clone of its template with the texts of this message. */
function newRow(list: HTMLElement, { id, to, operation, text, code, at: atMs }: LiveMessage): HTMLElement | null {
  const template = find<HTMLTemplateElement>("#caught-row");
  const row = template?.content.firstElementChild?.cloneNode(true);
  if (!(row instanceof HTMLElement)) return null;
  const { operations = "{}", recording } = list.dataset;
  const kind = (JSON.parse(operations) as Record<string, string>)[operation];
  for (const [field, value] of Object.entries({ to: phoneText(to), kind, text: text ?? recording, code })) {
    const place = find(`[data-f=${field}]`, row);
    if (!place) continue;
    place.textContent = value ?? "";
    place.hidden = value === null;
    if (field === "kind") place.classList.add(operation);
  }
  row.dataset["id"] = id;
  row.className = "fresh";
  for (const link of findAll<HTMLAnchorElement>("a", row)) link.href = link.href.replace(/(?=\?|$)/u, id);
  for (const time of findAll<HTMLTimeElement>("time", row)) time.dateTime = new Date(atMs).toISOString();
  writeTimes(row);
  return row;
}

/** Shows a message on the phone. */
async function choose(href: string, pane: HTMLElement): Promise<void> {
  await putPart(href, pane);
  for (const link of findAll<HTMLAnchorElement>("#caught a")) {
    if (link.href === href) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

function startLive(list: HTMLElement, pane: HTMLElement): void {
  const { title } = document;
  const empty = find("[data-inbox-empty]");
  let settling = 0;
  let unread = 0;
  // The title counts messages that arrive while the page is hidden.
  const count = (more: number) => {
    unread = document.hidden ? unread + more : 0;
    document.title = unread === 0 ? title : `(${unread}) ${title}`;
  };
  const follow = () => {
    const newest = find<HTMLAnchorElement>("a", list);
    if (newest && wide.matches && pane.dataset["newest"]) void choose(newest.href, pane);
  };
  const hear = ({ messages = [], gone = [] }: LiveEvent) => {
    for (const message of messages) {
      list.dataset["after"] = String(message.seq);
      const row = newRow(list, message);
      if (row) list.prepend(row);
    }
    for (const [place, row] of [...list.children].entries()) {
      if (place >= ROWS_MAX || gone.includes((row as HTMLElement).dataset["id"] ?? "")) row.remove();
    }
    const none = !list.firstElementChild;
    if (empty) empty.hidden = !none;
    if (none) location.reload();
    count(messages.length);
    clearTimeout(settling);
    if (messages.length > 0) settling = setTimeout(follow, SETTLE_MS);
  };
  document.addEventListener("visibilitychange", () => count(0));
  startFeed({
    address: () => {
      const query = new URLSearchParams({ after: list.dataset["after"] ?? "", q: list.dataset["q"] ?? "" });
      return `/inbox/live?${query}`;
    },
    take: (news) => hear(news as LiveEvent),
  });
}

export function startInbox(): void {
  const list = find("#caught");
  const pane = find("#phone");
  if (!list || !pane) return;
  on("click", "#caught a", (link, event) => {
    if (!wide.matches || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    const { href } = link as HTMLAnchorElement;
    link.parentElement?.classList.remove("fresh");
    pane.dataset["newest"] = "";
    showAddress(href);
    return choose(href, pane);
  });
  if (list.dataset["after"] !== undefined) startLive(list, pane);
}
