import { at, failedText, find, findAll, on, money, toast } from "./dom.ts";

// Sends forms without leaving the page. The field `once` makes a form one send, however often it is posted: it is kept
// until a reply confirms the send.

interface Answer {
  success?: boolean;
  message?: string;
  error?: string;
  hint?: string;
  code?: string;
  param?: string;
  coins_used?: number;
  details?: { cost?: number };
  fileId?: string;
}

/** Posts a form. It uses XMLHttpRequest, because fetch does not report the progress of an upload. */
function post(form: HTMLFormElement): Promise<XMLHttpRequest> {
  const bar = find<HTMLProgressElement>("progress", form);
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("accept", "application/json");
    request.responseType = "json";
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      if (!bar) return;
      bar.hidden = false;
      bar.value = loaded / total;
    });
    request.addEventListener("loadend", () => {
      if (bar) bar.hidden = true;
      done(request);
    });
    request.send(new FormData(form));
  });
}

const random = (size: number) => [...crypto.getRandomValues(new Uint32Array(size))];

function renew(form: HTMLFormElement): void {
  const once = find<HTMLInputElement>("[name=once]", form);
  if (once) once.value = random(4).join("-");
}

/** Removes the notices of an earlier reply. */
function forget(form: HTMLFormElement): void {
  for (const old of findAll("[data-told], .fault, main > .notice")) old.remove();
  for (const field of findAll("[aria-invalid]", form)) field.removeAttribute("aria-invalid");
}

/** Shows the result below the form. */
function showResult(form: HTMLFormElement, tone: string, ...content: (string | Node)[]): void {
  const box = document.createElement("div");
  box.dataset["told"] = "";
  box.className = `notice ${tone}`;
  box.role = tone === "ok" ? "status" : "alert";
  box.append(...content);
  form.append(box);
  box.tabIndex = -1;
  box.focus();
}

/** Shows a sentence at the field that it is about, or below the form when it is about none. */
function mark(form: HTMLFormElement, param: string, sentence: string): void {
  const name = CSS.escape(param.replace(/\[.*/, "") || "-");
  const field = find(`[name=${name}], [data-param~=${name}]`, form);
  if (!field) return showResult(form, "bad", sentence);

  const fault = document.createElement("p");
  fault.className = "fault";
  fault.id = `${field.id}-error`;
  fault.textContent = sentence;
  field.closest(".field")?.append(fault);
  field.ariaInvalid = "true";
  field.setAttribute("aria-describedby", `${field.id}-hint ${fault.id}`);
  field.focus();
}

/** Prepares the form for another send. */
function empty(form: HTMLFormElement): void {
  renew(form);
  for (const field of findAll<HTMLInputElement>("[data-clear]", form)) field.value = "";
  const otp = find<HTMLInputElement>("[name=otp]", form);
  if (otp) otp.value = String(random(1)[0]).padStart(6, "0").slice(-6);
  const skip = find<HTMLInputElement>("[name=skip]", form);
  if (skip) skip.checked = false;
  // The script of such forms (compose.ts) follows its fields.
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

function linkTo(path: string, text: string): HTMLElement {
  const link = document.createElement("a");
  link.href = at(path);
  link.textContent = text;
  return link;
}

function succeed(form: HTMLFormElement, answer: Answer, request: XMLHttpRequest): void {
  const { next, done = "", balance = "", see = "", phone = "" } = form.dataset;
  if (next !== undefined) return location.assign(next + (answer.fileId ?? ""));
  const spent = money((answer.coins_used ?? answer.details?.cost ?? 0) * 10_000);
  const sentence = `${answer.message} ${spent} ${done}`.trim();
  toast(sentence);
  if (see !== "") {
    // A replayed reply belongs to an earlier request, whose id is not known here.
    const id = request.getResponseHeader("idempotent-replayed") ? "" : request.getResponseHeader("x-request-id");
    const left = money(Number(request.getResponseHeader("balance-units")));
    const query = id ? `?q=request:${id}` : "";
    const links = [linkTo(`/activity${query}`, see), ...(phone === "" ? [] : [" · ", linkTo(`/inbox${query}`, phone)])];
    showResult(form, "ok", `${sentence} · ${balance} ${left} · `, ...links);
  }
  empty(form);
}

function fail(form: HTMLFormElement, { code, error, hint = "", param = "" }: Answer, request: XMLHttpRequest): void {
  // The sentence asks whether this number is meant; sending the form again confirms it.
  const confirmed = find<HTMLInputElement>("[name=confirmed]", form);
  if (confirmed) confirmed.value = request.getResponseHeader("confirm-number") ?? confirmed.value;
  // The price is another one than was shown: the form is read again, which shows it and brings its quote (compose.ts).
  if (code === "invalid_quote") form.dispatchEvent(new Event("input", { bubbles: true }));
  const reused = code === "idempotency_mismatch" ? form.dataset["reused"] : undefined;
  if (reused !== undefined) renew(form);
  const { money } = form.dataset;
  if (code === "insufficient_balance" && money !== undefined) {
    showResult(form, "bad", `${error} `, linkTo("/billing", money));
  } else mark(form, param, reused ?? `${error} ${hint}`.trim());
}

async function submit(form: HTMLFormElement): Promise<void> {
  const button = find<HTMLButtonElement>("button:not([type])", form);
  if (!button || button.disabled) return;
  forget(form);
  const file = find<HTMLInputElement>("[data-bytes]", form);
  const { bytes, large = "" } = file?.dataset ?? {};
  // A file that is too large is not sent.
  if ((file?.files?.[0]?.size ?? 0) > Number(bytes)) return mark(form, "file", large);
  button.disabled = true;
  const request = await post(form);
  button.disabled = false;
  const answer = request.response as Answer | null;
  // Without a reply, the request may have been carried out. The form keeps its `once`, so that posting it again cannot
  // send twice.
  if (answer === null) showResult(form, "bad", form.dataset["lost"] ?? failedText());
  else if (answer.success) succeed(form, answer, request);
  else fail(form, answer, request);
  // A disabled button loses the focus.
  if (document.activeElement === document.body) button.focus();
}

export function startSend(): void {
  on("submit", "form[data-send]", (form, event) => {
    // The button that checks a form posts it to another address.
    if (event.submitter?.hasAttribute("formaction")) return undefined;
    event.preventDefault();
    return submit(form as HTMLFormElement);
  });
}
