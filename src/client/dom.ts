import { moneyText } from "../ui/format.ts";
import type { Lang } from "../ui/lang.ts";

// What every part of the script uses: finding elements, listening, toasts, posting forms.

// The caller states what kind of element it is, as with querySelector itself.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export const find = <T extends HTMLElement = HTMLElement>(selector: string, within: ParentNode = document): T | null =>
  within.querySelector<T>(selector);

export const findAll = <T extends HTMLElement = HTMLElement>(selector: string, within: ParentNode = document): T[] => [
  ...within.querySelectorAll<T>(selector),
];

/** A path of this console, with the prefix of its base. */
export const at = (path: string): string => (document.documentElement.dataset["at"] ?? "") + path;

/** The language of the page, in which numbers and times are written. */
export const lang: Lang = document.documentElement.lang === "hi" ? "hi" : "en";

/** Listens on the document for an event of elements that match now or later (event delegation). */
export function on<K extends keyof DocumentEventMap>(
  type: K,
  selector: string,
  act: (element: HTMLElement, event: DocumentEventMap[K]) => unknown,
): void {
  document.addEventListener(type, (event) => {
    const element = event.target instanceof Element ? event.target.closest<HTMLElement>(selector) : null;
    if (element) void act(element, event);
  });
}

const TOAST_MS = 4_000;

/** Shows a text for a moment; screen readers announce it. */
export function toast(text: string, bad = false): void {
  const box = find("#toasts");
  const note = document.createElement("div");
  note.className = bad ? "toast bad" : "toast";
  note.textContent = text;
  box?.append(note);
  setTimeout(() => note.remove(), TOAST_MS);
}

/** The sentence for a request that got no reply. */
export const failedText = (): string => find("#toasts")?.dataset["failed"] ?? "";

/** Units as the server writes them on this page. */
export const money = (units: number): string =>
  moneyText(units, lang, document.documentElement.dataset["mode"] === "test" ? "test" : "live");

/** Posts a form's fields and reads the JSON reply; null when there was none. */
export async function postForm(
  action: string,
  body: FormData | URLSearchParams,
): Promise<{ ok: boolean; status: number; body: Record<string, unknown> } | null> {
  try {
    const reply = await fetch(action, { method: "POST", body, headers: { accept: "application/json" } });
    return { ok: reply.ok, status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  } catch {
    return null;
  }
}
