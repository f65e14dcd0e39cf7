import { compose, startComposing } from "./compose.ts";
import { at, failedText, find, findAll, on, rupees, toast } from "./dom.ts";

// Forms that send, without leaving the page. The field `once` makes a form one send, however often it is posted: it is
// kept until an answer says that it was sent.

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

/** Posts a form. XMLHttpRequest, because fetch cannot say how far an upload is. */
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

function tell(form: HTMLFormElement, tone: "ok" | "bad", ...content: (string | Node)[]): void {
  const box = find("[data-outcome]", form) ?? document.createElement("div");
  box.dataset["outcome"] = "";
  box.className = `notice ${tone}`;
  box.setAttribute("role", tone === "ok" ? "status" : "alert");
  box.replaceChildren(...content);
  form.append(box);
}

/** Takes away what an earlier answer said. */
function forget(form: HTMLFormElement): void {
  for (const old of findAll("[data-outcome], .fault", form)) old.remove();
  find("main > .notice")?.remove();
  for (const field of findAll("[aria-invalid]", form)) field.removeAttribute("aria-invalid");
}

/** Says a sentence at the field that it is about; false when there is no such field. */
function mark(form: HTMLFormElement, param: string, sentence: string): boolean {
  const name = CSS.escape(param.replace(/\[.*/, ""));
  const field = find(`[name="${name}"], [data-param~="${name}"]`, form);
  if (!field || name === "") return false;
  field.id ||= `f-${name}`;
  const fault = document.createElement("p");
  fault.className = "fault";
  fault.id = `${field.id}-error`;
  fault.textContent = sentence;
  (field.closest(".field") ?? form).append(fault);
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", `${field.id}-hint ${fault.id}`);
  field.focus();
  return true;
}

/** The form again, for something else. */
function empty(form: HTMLFormElement): void {
  renew(form);
  for (const field of findAll<HTMLInputElement>("[data-clear]", form)) field.value = "";
  const otp = find<HTMLInputElement>("[name=otp]", form);
  if (otp) otp.value = String(random(1)[0]).padStart(6, "0").slice(-6);
  const skip = find<HTMLInputElement>("[name=skip]", form);
  if (skip) skip.checked = false;
  compose(form);
}

function succeed(form: HTMLFormElement, answer: Answer, request: XMLHttpRequest): void {
  const { next, done = "", balance = "", see } = form.dataset;
  if (next !== undefined) {
    location.assign(next + (answer.fileId ?? ""));
    return;
  }
  const spent = rupees(Math.round((answer.coins_used ?? answer.details?.cost ?? 0) * 10_000));
  const left = request.getResponseHeader("balance-units");
  const told = [answer.message, `${spent} ${done}`.trim()].join(" · ");
  toast(told);
  const link = document.createElement("a");
  link.href = at(`/activity?q=${encodeURIComponent(`request:${request.getResponseHeader("x-request-id")}`)}`);
  link.textContent = see ?? "";
  tell(
    form,
    "ok",
    told,
    left === null ? "" : ` · ${balance} ${rupees(Number(left))}`,
    see === undefined ? "" : " · ",
    link,
  );
  empty(form);
}

function fail(form: HTMLFormElement, answer: Answer): void {
  const reused = answer.code === "idempotency_mismatch";
  if (reused) renew(form);
  const sentence = (reused && form.dataset["reused"]) || [answer.error, answer.hint].filter(Boolean).join(" ");
  if (!mark(form, answer.param ?? "", sentence)) tell(form, "bad", sentence);
}

/** Whether a chosen file is too large to be sent at all. */
function isTooLarge(form: HTMLFormElement): boolean {
  const input = find<HTMLInputElement>("[data-bytes]", form);
  const size = input?.files?.[0]?.size ?? 0;
  if (!input || size <= Number(input.dataset["bytes"])) return false;
  mark(form, input.name, input.dataset["large"] ?? "");
  return true;
}

async function submit(form: HTMLFormElement): Promise<void> {
  const button = find<HTMLButtonElement>("button:not([type=button])", form);
  if (button?.disabled) return;
  forget(form);
  if (isTooLarge(form)) return;
  if (button) button.disabled = true;
  const request = await post(form);
  if (button) button.disabled = false;
  const answer = request.response as Answer | null;
  // No answer: it may have been sent. The form keeps its `once`, so that sending it again cannot be a second send.
  if (answer === null) tell(form, "bad", form.dataset["lost"] ?? failedText());
  else if (answer.success) succeed(form, answer, request);
  else fail(form, answer);
}

export function startSend(): void {
  on("submit", "form[data-send]", (form, event) => {
    event.preventDefault();
    return submit(form as HTMLFormElement);
  });
  startComposing();
}
