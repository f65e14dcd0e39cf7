import { LIVE_ROWS_MAX, isAllRefunded, liveRow } from "../model/live.ts";
import type { LiveJob, LiveNews, LiveRow } from "../model/live.ts";
import { count, phoneText } from "../ui/format.ts";
import { at, find, findAll, lang, money } from "./dom.ts";
import { writeTimes } from "./page.ts";

// The rows of the live list: clones of the server's template, whose texts are set by textContent only.

const counted = (text: string, n: number, m = 0): string =>
  text.replace("{n}", count(n, lang)).replace("{m}", count(m, lang));

/** A badge in the reader's language, cloned from the server's. */
function badge(name: string): Node {
  const badges = find<HTMLTemplateElement>("#live-badges");
  return badges?.content.querySelector(`[data-state="${name}"]`)?.cloneNode(true) ?? document.createTextNode(name);
}

export class LiveList {
  readonly #body: HTMLElement;
  readonly #rows = new Map<string, HTMLElement>();
  readonly #jobs = new Map<string, Map<number, LiveJob>>();
  /** Requests that arrived while the list was paused. */
  readonly #held = new Set<string>();
  /** Jobs before this one are not shown. */
  #floor = 0;
  #query = "";
  paused = false;

  constructor(body: HTMLElement) {
    this.#body = body;
    for (const row of findAll("tr", body)) this.#rows.set(row.dataset["request"] ?? "", row);
  }

  /** The oldest job that is shown: a new connection requests everything from this one on. */
  get from(): string {
    return (this.#body.lastElementChild as HTMLElement | null)?.dataset["seq"] ?? "";
  }

  get waiting(): number {
    return this.#held.size;
  }

  /** Applies an update from the account. Updates can come repeatedly and in any order. */
  take({ from, jobs }: LiveNews): void {
    if (from !== undefined) this.#floor = from;
    const changed = new Set<string>();
    for (const job of jobs) {
      const known = this.#jobs.get(job.requestId) ?? new Map<number, LiveJob>();
      if (job.seq < this.#floor && known.size === 0) continue;
      this.#jobs.set(job.requestId, known.set(job.seq, job));
      changed.add(job.requestId);
    }
    for (const request of changed) this.#show(request, from === undefined);
    this.#trim();
  }

  /** Ends the pause, and shows what arrived during it. */
  resume(): void {
    this.paused = false;
    for (const request of this.#held) this.#show(request, true);
    this.#held.clear();
    this.#trim();
  }

  search(query: string): void {
    this.#query = query.trim().toLowerCase();
    this.#filter();
  }

  #show(request: string, fresh: boolean): void {
    const jobs = [...(this.#jobs.get(request)?.values() ?? [])].toSorted((one, other) => one.seq - other.seq);
    if (!this.#rows.has(request)) {
      if (this.paused) {
        this.#held.add(request);
        return;
      }
      this.#insert(request, jobs[0]?.seq ?? 0, fresh);
    }
    const row = this.#rows.get(request);
    if (row) fillRow(row, liveRow(jobs), this.#body.dataset);
  }

  #insert(request: string, seq: number, fresh: boolean): void {
    const row = find<HTMLTemplateElement>("#live-row")?.content.querySelector("tr")?.cloneNode(true);
    if (!(row instanceof HTMLElement)) return;
    row.dataset["seq"] = String(seq);
    if (fresh) row.className = "fresh";
    this.#rows.set(request, row);
    const older = findAll("tr", this.#body).find((other) => Number(other.dataset["seq"]) < seq);
    this.#body.insertBefore(row, older ?? null);
  }

  /** Removes rows that are too old or too many, and hides those that do not match the search. */
  #trim(): void {
    const inOrder = [...this.#rows].toSorted(([, one], [, other]) => seqOf(other) - seqOf(one));
    inOrder.forEach(([request, row], place) => {
      if (seqOf(row) >= this.#floor && place < LIVE_ROWS_MAX) return;
      this.#floor = Math.max(this.#floor, seqOf(row) + 1);
      row.remove();
      this.#rows.delete(request);
      this.#jobs.delete(request);
    });
    this.#filter();
  }

  #filter(): void {
    let found = 0;
    for (const row of this.#rows.values()) {
      row.hidden = !(row.dataset["find"] ?? row.textContent ?? "").toLowerCase().includes(this.#query);
      if (!row.hidden) found += 1;
    }
    const empty = this.#rows.size === 0;
    const card = this.#body.closest("section");
    const none = card && find("[data-live-none]", card);
    const note = card && find("[data-live-empty]", card);
    const table = this.#body.closest("table");
    if (none) none.textContent = !empty && found === 0 ? (none.dataset["liveNone"] ?? "") : "";
    if (note) note.hidden = !empty;
    if (table) table.hidden = empty;
  }
}

const seqOf = (row: HTMLElement): number => Number(row.dataset["seq"]);

function fillRow(row: HTMLElement, data: LiveRow, words: DOMStringMap): void {
  const slot = (name: string) => find(`[data-f=${name}]`, row);
  const put = (name: string, text: string) => {
    const element = slot(name);
    if (element && element.textContent !== text) element.textContent = text;
  };
  const single = data.total === 1;
  find("time", row)?.setAttribute("datetime", new Date(data.createdAt).toISOString());
  writeTimes(row);
  slot("kind")?.replaceChildren(badge(data.operation));
  slot("state")?.replaceChildren(badge(data.state));
  put("to", phoneText(data.to));
  put("text", data.preview);
  const gone = isAllRefunded(data);
  put("was", data.refunded > 0 ? money(data.cost + data.refunded) : "");
  put("cost", gone ? (words["refunded"] ?? "") : money(data.cost));
  slot("cost")?.classList.toggle("refunded", gone);
  put("more", single ? "" : ` ${counted(words["more"] ?? "", data.total - 1)}`);
  put("done", single ? "" : counted(words["done"] ?? "", data.delivered, data.total));
  const link = slot("to");
  link?.toggleAttribute("data-drawer", single);
  link?.setAttribute(
    "href",
    at(single ? `/activity/${data.messageId}` : `/activity?q=${encodeURIComponent(`request:${data.requestId}`)}`),
  );
  slot("phone")?.setAttribute("href", at(`/inbox?q=${encodeURIComponent(`request:${data.requestId}`)}`));
  row.dataset["request"] = data.requestId;
  row.dataset["find"] = `${row.textContent} ${data.to} ${data.requestId} ${data.state}`;
}
