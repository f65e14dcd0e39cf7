import { otpsLeft } from "../model/live.ts";
import type { LiveAccount, LiveNews } from "../model/live.ts";
import { count } from "../ui/format.ts";
import { at, find, findAll, lang, money, on } from "./dom.ts";
import { startFeed } from "./feed.ts";
import { LiveList } from "./live-list.ts";
import { tryPart } from "./page.ts";

// The account's live feed, which updates rows and tiles. A new connection requests everything from the oldest row that
// is shown, so that no update is missed.

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
  put("balance", money(balance));
  put("left", left === null ? "∞" : count(left, lang));
  put("rate", money(otpRate));
  put("plan", plan);
  put("limit", String(requestsPerMinute));
  put("status", status);
  for (const pill of findAll("[data-live=status]")) {
    pill.classList.toggle("ok", status === "active");
    pill.classList.toggle("bad", status !== "active");
  }
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
    const link = find<HTMLAnchorElement>("[data-f=to]", row);
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

/** When the chart is loaded again after news: once history usually has it, and once it surely has. */
const CHART_MS = [3_000, 30_000] as const;

/** Loads the chart again, and keeps its table open. */
async function loadChart(): Promise<void> {
  const box = find("[data-usage]");
  const open = box && find<HTMLDetailsElement>("details", box)?.open;
  if (!box || document.hidden || !(await tryPart(at("/usage"), box))) return;
  const table = find<HTMLDetailsElement>("details", box);
  if (table) table.open = open ?? false;
}

/** Returns a function that loads the chart again after some time, however often it is called meanwhile. */
function startChart(): () => void {
  const timers: (number | undefined)[] = [];
  return () => {
    for (const [place, ms] of CHART_MS.entries()) {
      timers[place] ??= setTimeout(() => {
        timers[place] = undefined;
        void loadChart();
      }, ms);
    }
  };
}

/** The overview: its live list, its tiles and its chart. */
export function startLive(): void {
  const body = find("#live");
  if (!body) return;
  const controls = find("[data-live-controls]");
  if (controls) controls.hidden = false;
  const list = new LiveList(body);
  const show = startControls(list);
  const chartLater = startChart();
  let isOpen = false;
  startFeed({
    address: () => `/live?from=${list.from}`,
    take: (news) => {
      list.take(news as LiveNews);
      showAccount((news as LiveNews).account);
      if ((news as LiveNews).from === undefined) chartLater();
      show(isOpen);
    },
    changed: (now) => {
      isOpen = now;
      show(isOpen);
    },
  });
}
