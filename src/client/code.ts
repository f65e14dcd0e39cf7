import { at, failedText, find, on, toast } from "./dom.ts";

// On a local service the code that a page asks for is one press away: the button fetches it from the test inbox.

interface Listed {
  data?: { code: string | null }[];
}

async function fillCode(button: HTMLElement): Promise<void> {
  const to = encodeURIComponent((button.dataset["codeFor"] ?? "").replace(/ /g, ""));
  const reply = await fetch(at(`/v1/test/inbox?limit=1&to=${to}`)).catch(() => null);
  const code = reply?.ok ? ((await reply.json()) as Listed).data?.[0]?.code : null;
  const field = find<HTMLInputElement>("[name=code]");
  if (!code || !field) return toast(button.dataset["none"] ?? failedText(), true);
  field.value = code;
  field.form?.requestSubmit();
}

/** The button of a page that asks for a code. It is hidden until here, because it needs the script. */
export function startCode(): void {
  const button = find("[data-code-for]");
  if (button) button.hidden = false;
  on("click", "[data-code-for]", fillCode);
}
