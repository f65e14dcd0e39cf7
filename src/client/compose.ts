import { listedPrice } from "../money/listed-price.ts";
import type { PriceList } from "../money/listed-price.ts";
import { listText } from "../text/list-file.ts";
import { countSegments } from "../text/segments.ts";
import { nameLetters, plainText } from "../text/unicode.ts";
import { find, findAll, on, money } from "./dom.ts";

// The script of pages with a form that sends: it updates the price of a text while it is typed, counted as on the server,
// and lets the server show how it reads the form: the number that it goes to, the numbers of a list, and the same request
// as a command. A page has at most one such form.

const FORM = "form[data-check]";

/** Debounce: a form is read when its writer pauses for this long. */
const CHECK_AFTER_MS = 300;

const field = (name: string) => find<HTMLInputElement>(`${FORM} [name=${name}]`);
const valueOf = (name: string) => field(name)?.value ?? "";

/** Changes an element, if the page has it. */
function set(selector: string, to: Partial<HTMLInputElement>): void {
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

/** The fields of a form as the server gets them, without its files. */
function fieldsOf(form: HTMLFormElement): URLSearchParams {
  const fields = [...new FormData(form)].filter((field): field is [string, string] => typeof field[1] === "string");
  return new URLSearchParams(fields);
}

let waiting: ReturnType<typeof setTimeout>;
let checked = "";

/** Lets the server read a form, as it will for sending, and shows what it read. Debounced. */
function check(form: HTMLFormElement): void {
  const body = fieldsOf(form);
  const asked = body.toString();
  checked = asked;
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    const reply = await fetch(form.dataset["check"] ?? "", { method: "POST", body }).catch(() => null);
    if (!reply?.ok || reply.redirected || asked !== checked) return;
    // The server rendered this HTML and escaped every text in it.
    for (const part of findAll("[data-part]", new DOMParser().parseFromString(await reply.text(), "text/html"))) {
      const shown = find(`[data-part=${part.dataset["part"]}]`);
      shown?.replaceChildren(...part.childNodes);
      Object.assign(shown?.dataset ?? {}, part.dataset);
    }
    const found = find("[data-found]");
    if (found) set(".check", { hidden: found.dataset["bad"] === "0" });
    compose();
  }, CHECK_AFTER_MS);
}

/** Units per segment for the form's current values, or the word that is shown in place of a price. */
function priceOf({ list, units }: DOMStringMap, words: DOMStringMap): number | string {
  if (list === undefined) return Number(find(`${FORM} option[data-units]:checked`)?.dataset["units"] ?? units);
  const number = find("[data-number]")?.dataset["number"] || valueOf("phone");
  const price = listedPrice(JSON.parse(list) as PriceList, number);
  return price === "varies" ? (words["varies"] ?? "") : (price ?? words["none"] ?? "");
}

/** Updates everything that depends on the form's fields. */
function compose(): void {
  const form = find<HTMLFormElement>(FORM);
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
  const price = priceOf(form.dataset, total.dataset);
  const count = Number(find("[data-found]")?.dataset["found"] ?? 1);
  const shown = field("shown");
  // A quote is for the form as it is: its price goes before the one that is counted here.
  const quoted = valueOf("quote") && shown?.value;
  const each = quoted ? Number(quoted) / count : typeof price === "string" ? price : price * segments;
  const times = (times: number) => (typeof each === "string" ? each : money(each * times));
  set("[data-price]", { textContent: times(1) });
  total.textContent = times(count);
  if (shown) shown.value = typeof each === "string" ? "" : String(each * count);
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

/** Whether a field contains something else than the server wrote, such as what the browser restored. */
const isChanged = (one: HTMLInputElement) => one.value !== one.defaultValue;

function changed(): void {
  const form = find<HTMLFormElement>(FORM);
  // A quote is for what the form was when it was checked.
  set(`${FORM} [name=quote]`, { value: "" });
  compose();
  if (form) check(form);
}

on("input", FORM, changed);
on("click", "[data-plain]", () => {
  const text = field("message");
  if (!text) return;
  text.value = plainText(text.value);
  text.focus();
  changed();
});
// A file's lines are put into the list, where they can be corrected. Without the script, the server reads the file.
on("change", "[data-csv]", async (element) => {
  const list = field("recipients");
  const input = element as HTMLInputElement;
  const [file] = input.files ?? [];
  const box = input.closest(".field");
  if (!file || !list || !box) return;
  find(".fault", box)?.remove();
  const text = listText(new Uint8Array(await file.arrayBuffer()));
  if (text === null) {
    const fault = document.createElement("p");
    fault.className = "fault";
    fault.role = "alert";
    fault.textContent = input.dataset["csv"] ?? "";
    box.append(fault);
  } else if (list.value.trim() === "") list.value = text;
  else return;
  input.value = "";
  changed();
});
set("[data-checks]", { hidden: true });
set("[data-speak]", { hidden: !("speechSynthesis" in window) });
on("click", "[data-speak]", speak);
if (findAll<HTMLInputElement>(`${FORM} input, ${FORM} textarea`).some(isChanged)) changed();
else compose();
