import { prove } from "./prove.ts";

// The proof of work before a code: the form is sent again with it. Only a page with a bot check loads this.

async function start(box: HTMLElement): Promise<void> {
  box.hidden = false;
  const form = box.closest("form");
  const field = form?.querySelector<HTMLInputElement>("input[name=work]");
  const number = await prove(box.dataset["work"] ?? "", Number(box.dataset["bits"]));
  if (!form || !field) return;
  field.value = String(number);
  box.querySelector("progress")?.remove();
  const status = box.querySelector("p");
  if (status) status.textContent = box.dataset["done"] ?? "";
  // A form with a password is empty again, and waits for its reader.
  if (form.checkValidity()) form.requestSubmit();
}

for (const box of document.querySelectorAll<HTMLElement>("[data-work]")) void start(box);
