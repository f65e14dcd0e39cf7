import { at, failedText, find, findAll, on, postForm, toast } from "./dom.ts";

// Shows and copies keys, which a page contains only masked. The markup that it requires:
//   [data-key-box data-masked="dsk_live_••••abcd" data-show-url="/keys/key_…/show"]  around a key and its buttons
//   [data-key-text]   in a box, any number: contains the masked key, or the real one while it is shown
//   [data-show-key]   in a box: a button that shows the key, or hides it
//   [data-copy-key]   in a box: a button that copies the key
//   [data-copy-sample]   in a box: a button that copies the sample of the open tab, with the key in it
// A box whose key is shown has [data-shown]; the style sheet shows its .when-shown or .when-hidden elements.

/** A shown key is hidden again after this. */
const SHOWN_MS = 60_000;

/**
 * A key from the server, or null. When the server requires the person to authenticate again, opens the page for that.
 */
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

/** Copies during the click: browsers then accept a promise of a text, but no text that is written after the click. */
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
  // Without the script all samples are visible, one below the other.
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
