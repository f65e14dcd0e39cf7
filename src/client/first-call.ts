import { failedText, find, findAll, on, postForm, toast } from "./dom.ts";
import { copy } from "./page.ts";

// The API key on the overview: shown and copied only after the server gave it out, and then it stands in the samples.

let shown: Promise<string | null> | null = null;

async function ask(form: HTMLFormElement): Promise<string | null> {
  const reply = await postForm(form.action, new FormData(form));
  const key = reply?.body["key"];
  if (reply?.ok && typeof key === "string") {
    for (const place of findAll("[data-key-text]")) place.textContent = key;
    const button = find("button", form);
    if (button) button.hidden = true;
    return key;
  }
  // A sign-in of long ago: the page that asks again who this is leads back here.
  const { hint, error } = reply?.body ?? {};
  if (typeof hint === "string") location.href = `${hint}?next=%2F`;
  else toast(typeof error === "string" ? error : failedText(), true);
  return null;
}

async function theKey(): Promise<string | null> {
  const form = find<HTMLFormElement>("form[data-key]");
  if (!form) return null;
  shown ??= ask(form);
  const key = await shown;
  if (key === null) shown = null;
  return key;
}

async function copyWithKey(textOf: (key: string) => string): Promise<void> {
  const key = await theKey();
  if (key !== null) await copy(textOf(key)).catch(() => toast(failedText(), true));
}

export function startFirstCall(): void {
  // Without the script all samples are there, one below the other.
  for (const panel of findAll("[data-later]")) {
    panel.hidden = true;
    panel.removeAttribute("data-later");
  }
  on("submit", "form[data-key]", (_form, event) => {
    event.preventDefault();
    return theKey();
  });
  on("click", "[data-copy-key]", () => copyWithKey((key) => key));
  on("click", "[data-copy-sample]", (button) =>
    copyWithKey(
      () => find("[role=tabpanel]:not([hidden]) pre", button.closest("section") ?? document)?.textContent ?? "",
    ),
  );
}
