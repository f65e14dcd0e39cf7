import { otpsLeft } from "../model/live.ts";
import type { LiveAccount, LiveNews } from "../model/live.ts";
import { at, find, findAll, locale, on, rupees } from "./dom.ts";
import { LiveList } from "./live-list.ts";

// The account's live feed, which updates rows and tiles. A new connection requests everything from the oldest row that
// is shown, so that no update is missed.

const RETRY_MS = 500;
const RETRY_MS_MAX = 30_000;
/**
 * Interval of heartbeats, which the server answers without waking the object. One without an answer ends the
 * connection.
 */
const BEAT_MS = 20_000;
/** The close code with which the server asks for a new connection. */
const COME_BACK = 4000;

function put(name: string, text: string): void {
  for (const element of findAll(`[data-live=${name}]`)) {
    const word = element.dataset[text] ?? text;
    if (element.textContent === word) continue;
    element.textContent = word;
    element.classList.remove("bump");
    // Reading a size in between makes the animation start again.
    void element.offsetWidth;
    element.classList.add("bump");
  }
}

function showAccount({ balance, otpRate, plan, status, requestsPerMinute }: LiveAccount): void {
  const left = otpsLeft(balance, otpRate);
  put("balance", rupees(balance));
  put("left", left === null ? "∞" : new Intl.NumberFormat(locale).format(left));
  put("rate", rupees(otpRate));
  put("plan", plan);
  put("limit", String(requestsPerMinute));
  put("status", status);
  for (const pill of findAll("[data-live=status]")) {
    pill.classList.toggle("ok", status === "active");
    pill.classList.toggle("bad", status !== "active");
  }
}

/** Keeps a connection while the page is open; calls `told` with whether it is open, and after each update. */
function startFeed(list: LiveList, told: (open: boolean) => void): void {
  let socket: WebSocket | null = null;
  let open = false;
  let heard = true;
  let tries = 0;
  let timer = 0;

  const lost = (which: WebSocket, atOnce: boolean) => {
    if (socket !== which) return;
    socket = null;
    open = false;
    told(open);
    // Half of the backoff is random (jitter), so that clients do not all reconnect at the same moment.
    const pause = Math.min(RETRY_MS_MAX, RETRY_MS * 2 ** tries++) * (0.5 + Math.random() / 2);
    timer = setTimeout(connect, atOnce ? 0 : pause);
  };

  const connect = () => {
    clearTimeout(timer);
    const mine = new WebSocket(`${location.origin.replace("http", "ws")}${at("/live")}?from=${list.from}`);
    socket = mine;
    heard = true;
    mine.addEventListener("message", ({ data }: MessageEvent<string>) => {
      heard = true;
      if (socket !== mine || data === "pong") return;
      open = true;
      tries = 0;
      const news = JSON.parse(data) as LiveNews;
      list.take(news);
      showAccount(news.account);
      told(open);
    });
    mine.addEventListener("close", ({ code }) => lost(mine, code === COME_BACK));
  };

  const wake = () => {
    if (!socket && !document.hidden) connect();
  };
  document.addEventListener("visibilitychange", wake);
  addEventListener("online", wake);
  setInterval(() => {
    if (!socket || !open) return;
    if (heard) {
      heard = false;
      socket.send("ping");
    } else {
      socket.close();
      lost(socket, true);
    }
  }, BEAT_MS);
  connect();
}

/**
 * The buttons of the list: pause, show what arrived meanwhile, search. Returns the function for the connection's state.
 */
function startControls(list: LiveList): (open: boolean) => void {
  let isOpen = false;
  const state = find("[data-live-state]");
  const pause = find("[data-live-pause]");
  const fresh = find("[data-live-new]");
  const show = () => {
    const name = isOpen ? (list.paused ? "paused" : "on") : "lost";
    if (state && state.dataset["liveState"] !== name) {
      state.dataset["liveState"] = name;
      state.textContent = state.dataset[name] ?? "";
    }
    const label = pause && find("span", pause);
    if (label) label.textContent = pause.dataset[list.paused ? "resume" : "pause"] ?? "";
    if (!fresh) return;
    fresh.hidden = list.waiting === 0;
    fresh.textContent = (fresh.dataset["text"] ?? "").replace("{n}", String(list.waiting));
  };
  const toggle = () => {
    if (list.paused) list.resume();
    else list.paused = true;
    show();
  };
  on("click", "[data-live-pause], [data-live-new]", toggle);
  on("input", "[data-live-search]", (input) => list.search((input as HTMLInputElement).value));
  on("click", "#live tr", (row, event) => {
    const link = find<HTMLAnchorElement>("a", row);
    const elsewhere = event.target instanceof Element && event.target.closest("a");
    if (link && !elsewhere && getSelection()?.isCollapsed) link.click();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof Element && event.target.closest("input, textarea, select, dialog");
    if (!typing && !event.metaKey && !event.ctrlKey && !event.altKey && event.key.toLowerCase() === "l") toggle();
  });
  return (open) => {
    isOpen = open;
    show();
  };
}

/** The overview: its live list and its tiles. */
export function startLive(): void {
  const body = find("#live");
  if (!body) return;
  const controls = find("[data-live-controls]");
  if (controls) controls.hidden = false;
  const list = new LiveList(body);
  startFeed(list, startControls(list));
}
