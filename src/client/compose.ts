import { listedPrice } from "../money/listed-price.ts";
import type { PriceList } from "../money/listed-price.ts";
import { countSegments, nameLetters, plainText } from "../text/segments.ts";
import { find, findAll, on, rupees } from "./dom.ts";

// Updates the price of a text while it is typed: counted as on the server, and shown in elements that the server
// rendered. A page has at most one such form.

const FORM = "form[data-units]";

/** Debounce: a list of numbers is checked when its writer pauses for this long. */
const CHECK_AFTER_MS = 300;

const field = (name: string) => find<HTMLInputElement>(`${FORM} [name=${name}]`);
const valueOf = (name: string) => field(name)?.value ?? "";

/** Changes an element, if the page has it. */
function set(selector: string, to: Partial<HTMLElement>): void {
  Object.assign(find(selector) ?? {}, to);
}

/** Shows encoding, segments and the characters that force Unicode; returns the number of segments. */
function composeSms(text: string): number {
  const { encoding, segments } = countSegments(text);
  set("[data-encoding]", { textContent: encoding });
  set("[data-segments]", { textContent: String(segments) });
  set("[data-letters]", { textContent: nameLetters(text) });
  set("[data-unicode]", { hidden: encoding === "GSM-7" });
  set("[data-plain]", { hidden: plainText(text) === text });
  return segments;
}

let waiting: ReturnType<typeof setTimeout>;
let checked = "";

/** Lets the server read a list of numbers, as it will for sending, and shows the result. Debounced. */
function check(list: HTMLInputElement): void {
  const recipients = list.value;
  if (recipients === checked) return;
  checked = recipients;
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    const body = new URLSearchParams({ recipients });
    const reply = await fetch(list.dataset["check"] ?? "", { method: "POST", body }).catch(() => null);
    if (!reply?.ok || reply.redirected || recipients !== checked) return;
    // The server rendered this HTML and escaped every text in it.
    const found = find("div", new DOMParser().parseFromString(await reply.text(), "text/html"));
    if (!found) return;
    find("[data-found]")?.replaceWith(found);
    set(".check", { hidden: found.dataset["bad"] === "0" });
    compose();
  }, CHECK_AFTER_MS);
}

/** Units per segment for the form's current values, or the word that is shown in place of a price. */
function priceOf({ list, units }: DOMStringMap, words: DOMStringMap): number | string {
  if (list === undefined) return Number(find(`${FORM} option[data-units]:checked`)?.dataset["units"] ?? units);
  const price = listedPrice(JSON.parse(list) as PriceList, valueOf("phone"));
  return price === "varies" ? (words["varies"] ?? "") : (price ?? words["none"] ?? "");
}

/** Updates everything that depends on the form's fields. */
export function compose(): void {
  const form = find(FORM);
  const total = find("[data-total]");
  if (!form || !total) return;
  for (const echo of findAll("[data-echo]")) {
    echo.textContent = valueOf(echo.dataset["echo"] ?? "") || (echo.dataset["empty"] ?? "");
  }
  const text = find<HTMLTextAreaElement>("[data-max]");
  if (text) {
    const left = Number(text.dataset["max"]) - [...text.value].length;
    set("[data-left]", { textContent: String(left), className: left < 0 ? "over" : "" });
  }
  const segments = find("[data-segments]") ? composeSms(valueOf("message")) : 1;
  const list = field("recipients");
  if (list) check(list);
  const price = priceOf(form.dataset, total.dataset);
  const times = (count: number) => (typeof price === "string" ? price : rupees(price * segments * count));
  set("[data-price]", { textContent: times(1) });
  total.textContent = times(Number(find("[data-found]")?.dataset["found"] ?? 1));
}

function speak(): void {
  const language = valueOf("language").toLowerCase();
  const region = { "1": "US", "44": "GB", "61": "AU" }[language === "en" ? valueOf("accent") : ""] ?? "IN";
  const speech = new SpeechSynthesisUtterance(valueOf("text"));
  speech.lang = `${language}-${region}`;
  speech.rate = Number(valueOf("speakingRate"));
  speechSynthesis.cancel();
  speechSynthesis.speak(speech);
}

export function startComposing(): void {
  on("input", FORM, compose);
  on("click", "[data-plain]", () => {
    const text = field("message");
    if (!text) return;
    text.value = plainText(text.value);
    text.focus();
    compose();
  });
  // A file's lines are put into the list, where they can be corrected. Without the script, the server reads the file.
  on("change", "[data-csv]", async (element) => {
    const list = field("recipients");
    const input = element as HTMLInputElement;
    const [file] = input.files ?? [];
    if (!file || !list || list.value.trim() !== "") return;
    list.value = await file.text();
    input.value = "";
    compose();
  });
  set("[data-speak]", { hidden: !("speechSynthesis" in window) });
  on("click", "[data-speak]", speak);
  compose();
}
