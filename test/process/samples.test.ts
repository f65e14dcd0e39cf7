import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startService } from "../../harness/started.ts";
import type { Service } from "../../harness/started.ts";

// Every curl command that a page shows is run as it stands, by a real shell and the real curl.

const run = promisify(execFile);

/** Texts that a shell, JSON or HTML could act on. */
const NASTY = [
  `It's "so" 'called'`,
  "$HOME ${HOME} $(id) `id` $$",
  "one\ntwo\r\nthree\ttab",
  String.raw`back\slash \n \' \" \u0041 %s`,
  "!! !x #no ;rm -rf / & | > /tmp/x < y",
  "* ? [a-z] ~ {a,b} -d @/etc/passwd",
  "'",
  "''\"\"''",
  "</pre><b>&lt;&amp;&#39;</b>",
  "नमस्ते 🙏 ‘curly’",
  "\u202eright to left\u2028line",
];

let service: Service;
let base: string;
let cookie: string;

beforeAll(async () => {
  service = await startService();
  base = `http://localhost:${service.port}`;
  const reply = await fetch(`${base}/sign-in/demo`, {
    method: "POST",
    body: new URLSearchParams(),
    headers: { origin: base },
    redirect: "manual",
  });
  cookie = reply.headers
    .getSetCookie()
    .map((set) => set.split(";")[0])
    .join("; ");
});
afterAll(() => service?.kill9());

const decoded = (html: string) =>
  html
    .replaceAll(/<[^>]*>/gu, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

/** The commands on a page. */
async function commandsAt(path: string, form?: Record<string, string>): Promise<string[]> {
  const reply = await fetch(base + path, {
    headers: { cookie, origin: base, accept: "text/html" },
    ...(form && { method: "POST", body: new URLSearchParams(form) }),
  });
  expect(reply.status, path).toBe(200);
  const blocks = (await reply.text()).matchAll(/<pre[^>]*>(.*?)<\/pre>/gsu);
  return [...blocks].map(([, block = ""]) => decoded(block)).filter((text) => text.startsWith("curl "));
}

/** Runs a command in a shell with the customer's key; returns curl's output. */
async function runIn(shell: string, command: string): Promise<{ success?: boolean; error?: string }> {
  const { apiKey } = service.demo;
  const env = { ...process.env, DASTAK_KEY: apiKey, OTP: "771122" };
  const { stdout } = await run(shell, ["-c", command.replace("curl ", "curl -sS ")], { env });
  return JSON.parse(stdout) as { success?: boolean; error?: string };
}

interface Caught {
  message: { text: string } | null;
}

async function textAt(number: string): Promise<string | undefined> {
  const to = encodeURIComponent(number);
  const { body } = await service.call(`/v1/test/inbox/wait?to=${to}&timeout=20`);
  return (body as unknown as Caught).message?.text;
}

it("a form's command sends exactly what the form contains, whatever the text", async () => {
  const shells = ["sh", "bash"];
  for (const [at, text] of NASTY.entries()) {
    const phone = String(9_700_000_000 + at);
    const [command = ""] = await commandsAt("/send/sms/check", { phone: `+91 ${phone}`, message: text });
    expect(await runIn(shells[at % 2] ?? "sh", command), command).toMatchObject({ success: true });
    expect(await textAt(`+91${phone}`)).toBe(text.replaceAll("\r\n", "\n"));
  }
});

it("the command of every kind of form does what the form would do", async () => {
  const brandName = `A'"$x`;
  for (const [path, form, to, text] of [
    [
      "/send/otp/check",
      { phone: "९७१०००००००", otp: "४८२९", brandName },
      "+919710000000",
      `4829 is your one-time password for ${brandName}`,
    ],
    ["/send/bulk/check", { recipients: "9711000000\n+91 97110 00001", message: "It's" }, "+919711000001", "It's"],
    [
      "/send/international/check",
      { phone: "+1 (415) 555-0132", message: "`id`", isFlash: "1" },
      "+14155550132",
      "`id`",
    ],
    [
      "/send/tts/check",
      { callee: "022 1234 5678", text: "Say 'it'", language: "HI", speakingRate: "1.2" },
      "+912212345678",
      "Say 'it'",
    ],
  ] as const) {
    const [command = ""] = await commandsAt(path, form);
    expect(await runIn("sh", command), command).toMatchObject({ success: true });
    expect(await textAt(to)).toContain(text);
  }
});

it("every command on every page can be run as it stands", async () => {
  const { apiKey } = service.demo;
  const sends = [
    service.post(apiKey, "/send-otp", { phone: "9712000000", otp: "482913", brandName: "It's 482913" }),
    service.post(apiKey, "/send-sms", { phone: "9712000001", message: `It's "so"` }),
    service.post(apiKey, "/send-bulk-sms", { recipients: ["9712000002", "9712000003"], message: "$HOME" }),
    service.post(apiKey, "/api/tts-call", { callee: "9712000004", text: "Namaste" }),
  ];
  expect((await Promise.all(sends)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const activity = await (await fetch(`${base}/activity`, { headers: { cookie } })).text();
  const messages = [...new Set(activity.match(/\/activity\/(?:msg|call)_\w+/gu))];
  expect(messages.length).toBeGreaterThanOrEqual(5);
  const forms = ["sms", "bulk", "international", "otp", "tts"].map((kind) => `/send/${kind}`);
  for (const path of ["/", ...forms, ...messages]) {
    const commands = await commandsAt(path);
    expect(commands, path).toHaveLength(1);
    for (const command of commands) {
      // On the overview the key itself is in the command, masked until it is shown.
      const whole = command.replace(/dsk_live_[^\s"']*•+[^\s"']*/u, apiKey);
      expect(await runIn("sh", whole), whole).toMatchObject({ success: true });
    }
  }
});
