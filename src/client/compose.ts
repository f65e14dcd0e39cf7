import { listedPrice } from "../listed-price.ts";
import type { PriceList } from "../listed-price.ts";
import { countSegments, nameLetters, plainText } from "../segments.ts";
import { find, findAll, on, rupees } from "./dom.ts";

// What a text costs while it is written: the same counting as the server's, in the elements that the server made.

/** A list is checked when its writer pauses for so long. */
const CHECK_AFTER_MS = 300;

/** The field of a form with this name, as a text. */
const valueOf = (form: HTMLElement, name: string): string =>
  find<HTMLInputElement>(`[name="${name}"]`, form)?.value ?? "";

function write(within: ParentNode, selector: string, text: string | number): void {
  const element = find(selector, within);
  if (element) element.textContent = String(text);
}

function hide(within: ParentNode, selector: string, hidden: boolean): void {
  const element = find(selector, within);
  if (element) element.hidden = hidden;
}

/** Encoding, segments and what forces Unicode; the number of segments. */
function composeSms(form: HTMLElement, text: string): number {
  const { encoding, segments } = countSegments(text);
  write(form, "[data-encoding]", encoding);
  write(form, "[data-segments]", segments);
  write(form, "[data-letters]", nameLetters(text));
  hide(form, "[data-unicode]", encoding === "GSM-7");
  hide(form, "[data-plain]", plainText(text) === text);
  return segments;
}

let waiting: ReturnType<typeof setTimeout>;
let checked = "";

/** Lets the server read a list of numbers as it will when it is sent, and shows what it found. */
function check(form: HTMLFormElement, list: HTMLTextAreaElement): void {
  if (list.value === checked) return;
  const text = (checked = list.value);
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    const body = new URLSearchParams({ recipients: text });
    const reply = await fetch(list.dataset["numbers"] ?? "", { method: "POST", body }).catch(() => null);
    if (!reply?.ok || reply.redirected || text !== checked) return;
    // The server made this, where every text is escaped.
    const found = new DOMParser().parseFromString(await reply.text(), "text/html").body.firstElementChild;
    if (!(found instanceof HTMLElement)) return;
    find("[data-found]", form)?.replaceWith(found);
    hide(form, ".check", found.dataset["bad"] === "0");
    compose(form);
  }, CHECK_AFTER_MS);
}

/** Units per segment of what the form says by now, or the word that stands for it. */
function priceOf(form: HTMLElement, total: HTMLElement): number | string {
  const { list, units } = form.dataset;
  const chosen = find<HTMLSelectElement>("select[name=fileId]", form)?.selectedOptions[0]?.dataset["units"];
  if (list === undefined) return Number(chosen ?? units);
  const price = listedPrice(JSON.parse(list) as PriceList, valueOf(form, "phone"));
  if (price === "varies") return total.dataset["varies"] ?? "";
  return price ?? total.dataset["none"] ?? "";
}

/** Brings everything up to date that a form's fields decide. */
export function compose(form: HTMLFormElement): void {
  for (const echo of findAll("[data-echo]")) {
    echo.textContent = valueOf(form, echo.dataset["echo"] ?? "") || (echo.dataset["empty"] ?? "");
  }
  const text = find<HTMLTextAreaElement>("[data-sms],[data-speech]", form);
  if (text) {
    const left = Number(text.dataset["sms"] ?? text.dataset["speech"]) - [...text.value].length;
    write(form, "[data-left]", left);
    find("[data-left]", form)?.classList.toggle("over", left < 0);
  }
  const segments = text?.dataset["sms"] === undefined ? 1 : composeSms(form, text.value);
  const list = find<HTMLTextAreaElement>("[data-numbers]", form);
  if (list) check(form, list);
  const count = Number(find("[data-found]", form)?.dataset["found"] ?? 1);
  const total = find("[data-total]", form);
  if (!total) return;
  const price = priceOf(form, total);
  write(form, "[data-price]", typeof price === "string" ? price : rupees(price * segments));
  total.textContent = typeof price === "string" ? price : rupees(price * segments * count);
}

function speak(form: HTMLElement): void {
  const language = valueOf(form, "language").toLowerCase();
  const region = { "1": "US", "44": "GB", "61": "AU" }[language === "en" ? valueOf(form, "accent") : ""] ?? "IN";
  const speech = new SpeechSynthesisUtterance(valueOf(form, "text"));
  speech.lang = `${language}-${region}`;
  speech.rate = Number(valueOf(form, "speakingRate"));
  speechSynthesis.cancel();
  speechSynthesis.speak(speech);
}

export function startComposing(): void {
  const form = find<HTMLFormElement>("form[data-units]");
  if (!form) return;
  on("input", "form[data-units]", () => compose(form));
  on("click", "[data-plain]", () => {
    const text = find<HTMLTextAreaElement>("[data-sms]", form);
    if (!text) return;
    text.value = plainText(text.value);
    text.focus();
    compose(form);
  });
  // A file's lines are shown where a list is pasted, so that they can be mended there. The server reads a file as well.
  on("change", "[data-csv]", async (element) => {
    const list = find<HTMLTextAreaElement>("[data-numbers]", form);
    const input = element as HTMLInputElement;
    const [file] = input.files ?? [];
    if (!file || !list || list.value.trim() !== "") return;
    list.value = await file.text();
    input.value = "";
    compose(form);
  });
  hide(document, "[data-speak]", !("speechSynthesis" in window));
  on("click", "[data-speak]", () => speak(form));
  compose(form);
}
