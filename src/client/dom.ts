// What every part of the script uses: finding, listening, telling. Everything works without the script as well.

// The caller says what the page has there, as it does to querySelector itself.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export const find = <T extends HTMLElement = HTMLElement>(selector: string, within: ParentNode = document): T | null =>
  within.querySelector<T>(selector);

export const findAll = <T extends HTMLElement = HTMLElement>(selector: string, within: ParentNode = document): T[] => [
  ...within.querySelectorAll<T>(selector),
];

/** An address of this console. */
export const at = (path: string): string => (document.documentElement.dataset["at"] ?? "") + path;

/** Language of numbers and times. */
export const locale = document.documentElement.lang === "hi" ? "hi-IN" : "en-IN";

/** Listens at the document for an event on whatever matches now or later. */
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

/** Tells something for a moment; screen readers say it. */
export function toast(text: string, bad = false): void {
  const box = find("#toasts");
  const note = document.createElement("div");
  note.className = bad ? "toast bad" : "toast";
  note.textContent = text;
  box?.append(note);
  setTimeout(() => note.remove(), TOAST_MS);
}

/** The sentence for a request that never came back. */
export const failedText = (): string => find("#toasts")?.dataset["failed"] ?? "";

/** Units as rupees, as the server writes them. */
export const rupees = (units: number): string =>
  new Intl.NumberFormat(locale, { style: "currency", currency: "INR", maximumFractionDigits: 4 }).format(
    units / 10_000,
  );

/** Posts a form's fields and reads the JSON that comes back; null where nothing came. */
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
