import { listedPrice } from "../listed-price.ts";
import type { PriceList } from "../listed-price.ts";
import { readRecipients } from "../recipients.ts";
import type { Recipients } from "../recipients.ts";
import { countSegments, letterName, plainLetter, plainText, unicodeLetters } from "../segments.ts";
import { find, findAll, locale, on, rupees } from "./dom.ts";

// What a text costs while it is written: the same counting as the server's, in the elements that the server made.

const LETTERS_SHOWN = 8;
const FAULTS_SHOWN = 20;
const FAULT_TEXT_LENGTH = 40;

/** The field of a form with this name, as a text. */
const valueOf = (form: HTMLElement, name: string): string =>
  find<HTMLInputElement>(`[name="${name}"]`, form)?.value ?? "";

function write(within: ParentNode, selector: string, text: string | number): HTMLElement | null {
  const element = find(selector, within);
  if (element) element.textContent = typeof text === "number" ? text.toLocaleString(locale) : text;
  return element;
}

/** An entry whose text may run in any direction and changes nothing around it. */
function entry(before: string, text: string, after = ""): HTMLLIElement {
  const item = document.createElement("li");
  const own = document.createElement("bdi");
  own.textContent = text;
  item.append(before, own, after);
  return item;
}

function fill(list: HTMLElement | null, items: HTMLLIElement[], max: number): void {
  list?.replaceChildren(...items.slice(0, max), ...(items.length > max ? [entry("", "…")] : []));
}

/** Encoding, segments and what forces Unicode; the number of segments. */
function composeSms(form: HTMLElement, text: string): number {
  const { encoding, segments } = countSegments(text);
  const letters = unicodeLetters(text);
  write(form, "[data-encoding]", encoding);
  write(form, "[data-segments]", segments);
  const box = find("[data-unicode]", form);
  if (!box) return segments;
  box.hidden = letters.length === 0;
  const items = letters.slice(0, LETTERS_SHOWN + 1).map((letter) => entry("", letterName(letter)));
  fill(find("ul", box), items, LETTERS_SHOWN);
  const button = find("[data-plain]", box);
  if (button) button.hidden = letters.every((letter) => plainLetter(letter) === undefined);
  return segments;
}

let known: Recipients | undefined;
let knownText = "";

/** Numbers, repetitions and faults of a list; how many numbers it has. */
function composeList(form: HTMLElement, text: string): number {
  const box = find("[data-found]", form);
  if (!known || text !== knownText) known = readRecipients((knownText = text));
  const { numbers, duplicates, faults } = known;
  if (!box) return numbers.length;
  write(box, "[data-count]", numbers.length);
  for (const [selector, count] of [
    ["[data-twice]", duplicates],
    ["[data-bad]", faults.length],
  ] as const) {
    const element = write(box, selector, count)?.parentElement;
    if (element) element.hidden = count === 0;
  }
  const reasons = JSON.parse(box.dataset["reasons"] ?? "{}") as Record<string, string>;
  const items = faults
    .slice(0, FAULTS_SHOWN + 1)
    .map((fault) =>
      entry(
        `${box.dataset["line"]} ${fault.line}: `,
        fault.text.slice(0, FAULT_TEXT_LENGTH),
        ` – ${reasons[fault.reason]}`,
      ),
    );
  fill(find("ul", box), items, FAULTS_SHOWN);
  const mend = find("[data-faults]", box);
  if (mend) mend.hidden = faults.length === 0;
  return numbers.length;
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
export function compose(form: HTMLElement): void {
  for (const echo of findAll("[data-echo]")) {
    echo.textContent = valueOf(form, echo.dataset["echo"] ?? "") || (echo.dataset["empty"] ?? "");
  }
  const text = find<HTMLTextAreaElement>("[data-sms],[data-speech]", form);
  if (text) {
    const left = Number(text.dataset["sms"] ?? text.dataset["speech"]) - [...text.value].length;
    write(form, "[data-left]", left)?.parentElement?.classList.toggle("over", left < 0);
  }
  const segments = text?.dataset["sms"] === undefined ? 1 : composeSms(form, text.value);
  const list = find<HTMLTextAreaElement>("[data-numbers]", form);
  const count = list ? composeList(form, list.value) : 1;
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
  const form = find("form[data-units]");
  if (!form) return;
  on("input", "form[data-units]", compose);
  on("click", "[data-plain]", () => {
    const text = find<HTMLTextAreaElement>("[data-sms]", form);
    if (!text) return;
    text.value = plainText(text.value);
    text.focus();
    compose(form);
  });
  // A file's lines are shown where a list is pasted, so that they can be mended there. The server reads a file as well.
  on("change", "[data-csv]", async (input) => {
    const list = find<HTMLTextAreaElement>("[data-numbers]", form);
    const file = (input as HTMLInputElement).files?.[0];
    if (!file || !list || list.value.trim() !== "") return;
    list.value = await file.text();
    (input as HTMLInputElement).value = "";
    compose(form);
  });
  const listen = find("[data-speak]", form);
  if (listen) listen.hidden = !("speechSynthesis" in window);
  on("click", "[data-speak]", () => speak(form));
  compose(form);
}
