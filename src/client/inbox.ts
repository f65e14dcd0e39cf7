import type { LiveEvent, LiveMessage } from "../durable/inbox-event.ts";
import { phoneText } from "../ui/format.ts";
import { at, find, findAll, on } from "./dom.ts";
import { localTimes } from "./page.ts";

// The test inbox: rows that come by themselves, and a phone that changes without another page.

const ROWS_MAX = 50;
const AGAIN_MS = 1_000;
/** A bulk is many rows; the phone shows the last of them. */
const SETTLE_MS = 120;

/** Where list and phone stand side by side. */
const wide = matchMedia("(min-width: 901px)");

function write(row: ParentNode, field: string, text: string): void {
  const place = find(`[data-f=${field}]`, row);
  if (place) place.textContent = text;
}

function newRow(list: HTMLElement, message: LiveMessage): HTMLElement | null {
  const template = find<HTMLTemplateElement>("#caught-row")?.content.firstElementChild;
  const row = template?.cloneNode(true) as HTMLElement | undefined;
  const link = row && find<HTMLAnchorElement>("a", row);
  const time = row && find<HTMLTimeElement>("time", row);
  if (!row || !link || !time) return null;
  const { id, to, operation, text, code } = message;
  const names = JSON.parse(list.dataset["operations"] ?? "{}") as Record<string, string>;
  row.dataset["id"] = id;
  row.className = "fresh";
  link.href = link.href.replace(/(?=\?|$)/u, id);
  write(row, "to", phoneText(to));
  write(row, "kind", names[operation] ?? operation);
  find(".kind", row)?.classList.add(operation);
  write(row, "text", text ?? list.dataset["recording"] ?? "");
  write(row, "code", code ?? "");
  find("[data-f=code]", row)?.toggleAttribute("hidden", code === null);
  time.dateTime = new Date(message.at).toISOString();
  localTimes(row);
  return row;
}

/** Puts a message onto the phone; where that fails, its own page opens. */
async function choose(href: string, pane: HTMLElement): Promise<void> {
  const reply = await fetch(href, { headers: { "x-part": "1", accept: "text/html" } }).catch(() => null);
  if (!reply?.ok || reply.redirected) {
    location.href = href;
    return;
  }
  // The server made it, where every text is escaped; the policy allows no script in it.
  const parsed = new DOMParser().parseFromString(await reply.text(), "text/html");
  pane.replaceChildren(...parsed.body.childNodes);
  localTimes(pane);
  for (const link of findAll<HTMLAnchorElement>("#caught a")) {
    if (link.href === href) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
}

/** Says in the title how much came while nobody looked. */
function counter(): (more: number) => void {
  const { title } = document;
  let unread = 0;
  const tell = (more: number) => {
    unread = document.hidden ? unread + more : 0;
    document.title = unread === 0 ? title : `(${unread}) ${title}`;
  };
  document.addEventListener("visibilitychange", () => tell(0));
  return tell;
}

function startLive(list: HTMLElement, pane: HTMLElement): void {
  const tell = counter();
  const empty = find("[data-inbox-empty]");
  let settling = 0;
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
    const isGone = new Set(gone);
    for (const [place, row] of findAll("li", list).entries()) {
      if (place >= ROWS_MAX || isGone.has(row.dataset["id"] ?? "")) row.remove();
    }
    if (gone.length > 0 && !list.firstElementChild) location.reload();
    if (empty) empty.hidden = list.childElementCount > 0;
    if (messages.length === 0) return;
    tell(messages.length);
    clearTimeout(settling);
    settling = setTimeout(follow, SETTLE_MS);
  };
  const connect = () => {
    const query = new URLSearchParams({ after: list.dataset["after"] ?? "", q: list.dataset["q"] ?? "" });
    const socket = new WebSocket(`${location.origin.replace("http", "ws")}${at("/inbox/live")}?${query}`);
    socket.addEventListener("message", ({ data }) => hear(JSON.parse(String(data)) as LiveEvent));
    socket.addEventListener("close", () => setTimeout(connect, AGAIN_MS));
  };
  connect();
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
    history.pushState(null, "", href);
    return choose(href, pane);
  });
  addEventListener("popstate", () => location.reload());
  if (list.dataset["after"] !== undefined) startLive(list, pane);
}
