import { at, failedText, find, findAll, on, postForm, toast } from "./dom.ts";

// Shows and copies keys that the page carries only masked. What a page has to have for it:
//   [data-key-box data-masked="dsk_live_••••abcd" data-show-url="/keys/key_…/show"]  around a key and its buttons
//   [data-key-text]   in a box, any number: holds the masked key, and the real one while that is shown
//   [data-show-key]   in a box: a button that shows the key, or hides it
//   [data-copy-key]   in a box: a button that copies the key
//   [data-copy-sample]   in a box: a button that copies what the open tab shows, with the key in it
// A shown box has [data-shown]; what is .when-shown or .when-hidden in it follows.

/** A shown key is hidden again after this. */
const SHOWN_MS = 60_000;

/** A key from the server, or null. One that is not told leads to where somebody says again who they are. */
async function askKey(url: string): Promise<string | null> {
  const { key, hint, error } = (await postForm(url, new URLSearchParams()))?.body ?? {};
  if (typeof key === "string") return key;
  if (typeof hint === "string") location.href = `${hint}?next=${location.pathname.slice(at("").length)}`;
  else toast(typeof error === "string" ? error : failedText(), true);
  return null;
}

function put(box: HTMLElement, key: string | null): void {
  for (const text of findAll("[data-key-text]", box)) text.textContent = key ?? box.dataset["masked"] ?? "";
  box.toggleAttribute("data-shown", key !== null);
}

async function show(box: HTMLElement): Promise<void> {
  const key = await askKey(box.dataset["showUrl"] ?? "");
  if (key === null) return;
  put(box, key);
  setTimeout(() => put(box, null), SHOWN_MS);
}

/** Copies while the click still counts as one: a browser takes a promise of a text, and no text that comes later. */
async function copyKey(box: HTMLElement, sample: string): Promise<void> {
  const { masked = "", showUrl = "" } = box.dataset;
  const text = askKey(showUrl).then((key) =>
    key === null
      ? Promise.reject(new Error("no key"))
      : new Blob([sample.replace(masked, key)], { type: "text/plain" }),
  );
  await navigator.clipboard.write([new ClipboardItem({ "text/plain": text })]);
  toast(find("#toasts")?.dataset["copied"] ?? "");
}

export function startKeys(): void {
  // Without the script all samples are there, one below the other.
  for (const panel of findAll("[data-later]")) {
    panel.hidden = true;
    panel.removeAttribute("data-later");
  }
  on("click", "[data-show-key], [data-copy-key], [data-copy-sample]", (button, event) => {
    const box = button.closest<HTMLElement>("[data-key-box]");
    if (!box) return;
    event.preventDefault();
    const { masked = "" } = box.dataset;
    const sample =
      "copySample" in button.dataset ? find("[role=tabpanel]:not([hidden]) pre", box)?.textContent : masked;
    if (!("showKey" in button.dataset)) return copyKey(box, sample ?? "").catch(() => undefined);
    return "shown" in box.dataset ? put(box, null) : show(box);
  });
}
