import { at, failedText, find, findAll, on, postForm, toast } from "./dom.ts";

// Shows and copies keys that the page carries only masked. What a page has to have for it:
//   [data-key-box data-masked="dsk_live_••••abcd" data-show-url="/keys/key_…/show"]  around a key's text and its buttons
//   [data-key-text]      in a box: holds the masked key; has the real one in its place while that is shown
//   [data-key-sample]    anywhere: a text with a masked key in it, such as a command; likewise
//   [data-show-key]      a button that shows the key, or hides it; its value may be the URL, else the box has it
//   [data-copy-key]      a button that copies the key; a value, such as a command with the masked key, is copied in its
//                        place with the real key put in
// A button outside every box speaks of the first box. A shown box has [data-shown]; what is .when-shown or .when-hidden
// in it follows.

/** A shown key is hidden again after this. */
const SHOWN_MS = 60_000;

const shown = new Map<HTMLElement, string>();

const boxOf = (button: HTMLElement) => button.closest<HTMLElement>("[data-key-box]") ?? find("[data-key-box]");

/** The key from the server. One that is not told leads to where somebody says again who they are. */
async function askKey(box: HTMLElement, url: string | undefined): Promise<string> {
  const known = shown.get(box);
  if (known !== undefined) return known;
  const reply = await postForm(url || (box.dataset["showUrl"] ?? ""), new URLSearchParams());
  const { key, hint, error } = reply?.body ?? {};
  if (typeof key === "string") return key;
  if (reply?.status === 403 && typeof hint === "string") {
    location.href = `${hint}?next=${encodeURIComponent(location.pathname.slice(at("").length))}`;
  } else {
    toast(typeof error === "string" ? error : failedText(), true);
  }
  throw new Error("no key");
}

/** Puts one text in the place of another, in the box and in every sample. */
function swap(box: HTMLElement, from: string, to: string): void {
  for (const place of [...findAll("[data-key-text]", box), ...findAll("[data-key-sample]")]) {
    const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      node.nodeValue = (node.nodeValue ?? "").replaceAll(from, to);
    }
  }
}

function hide(box: HTMLElement): void {
  const key = shown.get(box);
  if (key === undefined) return;
  shown.delete(box);
  swap(box, key, box.dataset["masked"] ?? "");
  delete box.dataset["shown"];
}

async function show(box: HTMLElement, url: string | undefined): Promise<void> {
  const key = await askKey(box, url);
  swap(box, box.dataset["masked"] ?? "", key);
  box.dataset["shown"] = "";
  shown.set(box, key);
  setTimeout(() => hide(box), SHOWN_MS);
}

/** Copies while the click still counts as one: a browser takes a promise of a text, and no text that comes later. */
async function copyKey(box: HTMLElement, text: string | undefined): Promise<void> {
  const type = "text/plain";
  const blob = askKey(box, "").then(
    (key) => new Blob([text?.replaceAll(box.dataset["masked"] ?? "", key) || key], { type }),
  );
  await navigator.clipboard.write([new ClipboardItem({ [type]: blob })]);
  toast(find("#toasts")?.dataset["copied"] ?? "");
}

/** What went wrong was told already. */
const quietly = () => undefined;

/** Keys. */
export function startKeys(): void {
  on("click", "[data-show-key]", (button, event) => {
    const box = boxOf(button);
    if (!box) return;
    event.preventDefault();
    if (shown.has(box)) hide(box);
    else return show(box, button.dataset["showKey"]).catch(quietly);
  });
  on("click", "[data-copy-key]", (button, event) => {
    const box = boxOf(button);
    if (!box) return;
    event.preventDefault();
    return copyKey(box, button.dataset["copyKey"]).catch(quietly);
  });
}
