import { statSync } from "node:fs";
import { DastakError } from "../../index.ts";
import type { Command, Context } from "../command.ts";
import { connectionOf, settingsOf } from "../connection.ts";
import type { Connection, Settings } from "../connection.ts";
import { configFile, masked } from "../profiles.ts";
import { counted } from "../reply.ts";
import { Stop } from "../stop.ts";
import { wrapped } from "../output.ts";

// Checks of everything between this machine and a message that is sent.

interface Check {
  name: string;
  /** Null for a check that was left out. */
  ok: boolean | null;
  detail: string;
}

/** How far this machine's clock may be off: half of what webhooks allow, in seconds. */
const CLOCK_SEC_MAX = 150;

const NODE_MIN = 20;

/** A number that no test key reaches. */
const TEST_NUMBER = "9876543210";

function checkNode(): Check {
  const major = Number(process.versions.node.split(".")[0]);
  return { name: "node", ok: major >= NODE_MIN, detail: `${process.version}; ${NODE_MIN} or newer is needed` };
}

function checkFile({ env }: Context): Check {
  const file = configFile(env);
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) return { name: "profiles", ok: null, detail: "no key is stored" };
  // Windows has no such modes.
  const open = process.platform !== "win32" && (found.mode & 0o077) !== 0;
  return { name: "profiles", ok: !open, detail: open ? `others can read ${file}; chmod 600 it` : file };
}

const clockCheck = (offMs: number, by: string): Check => {
  const off = Math.round(Math.abs(offMs) / 1000);
  return { name: "clock", ok: off <= CLOCK_SEC_MAX, detail: `${off} s from the service's (${by})` };
};

/** Whether the address answers, and what time it is there, if it says. */
async function checkAddress({ url }: Settings): Promise<Check[]> {
  const begun = performance.now();
  const at = `${url.replaceAll("{base}", "console").replace(/\/+$/u, "")}/healthz`;
  try {
    const reply = await fetch(at, { redirect: "manual", signal: AbortSignal.timeout(10_000) });
    const body = (await reply.json().catch(() => null)) as { success?: unknown } | null;
    const ms = Math.round(performance.now() - begun);
    if (reply.status !== 200 || body?.success !== true) {
      return [{ name: "address", ok: false, detail: `${at} answers ${reply.status}, but not as this service does` }];
    }
    const date = Date.parse(reply.headers.get("date") ?? "");
    const clock = Number.isNaN(date) ? [] : [clockCheck(date - Date.now(), "its Date header")];
    return [{ name: "address", ok: true, detail: `${url} in ${ms} ms` }, ...clock];
  } catch (problem) {
    const { message, cause } = problem as Error & { cause?: { code?: string } };
    return [{ name: "address", ok: false, detail: `${at}: ${cause?.code ?? message}` }];
  }
}

async function checkKey({ client, apiKey, mode }: Connection, { source }: Settings): Promise<Check> {
  const who = `${masked(apiKey)} from ${source}, ${mode}`;
  try {
    const { balance } = await client.accountBalance();
    return { name: "key", ok: true, detail: `${who}, ${counted(balance, "coin")}` };
  } catch (problem) {
    if (problem instanceof DastakError) return { name: "key", ok: false, detail: `${who}: ${problem.message}` };
    throw problem;
  }
}

/** One message of a test key, sent twice with one key: it must be sent once, and found in the inbox. */
async function checkSend({ client, mode }: Connection): Promise<Check[]> {
  if (mode === "live") return [{ name: "send", ok: null, detail: "left out: it needs a test key" }];
  const idempotencyKey = `doctor-${crypto.randomUUID()}`;
  const sms = { phone: TEST_NUMBER, message: "dastak doctor" };
  try {
    const first = await client.sendSms(sms, { idempotencyKey });
    const again = await client.sendSms(sms, { idempotencyKey });
    const once = again.replayed && again.messageId === first.messageId;
    const { message } = await client.getMessage(first.messageId);
    const detail = once ? "sent to the test inbox; repeated, and sent once" : "repeated, and sent twice";
    return [
      { name: "send", ok: once, detail },
      clockCheck(Date.parse(message.created_at) - Date.now(), "a message's time"),
    ];
  } catch (problem) {
    if (problem instanceof DastakError) return [{ name: "send", ok: false, detail: problem.message }];
    throw problem;
  }
}

/** `dastak doctor`. */
export const doctor: Command = {
  name: "doctor",
  about: "Check address, clock, key, and with a test key a send",
  more: "With a test key it sends one message to the test inbox, for a play coin. It ends with 1 where a check fails.",
  options: {},
  examples: ["dastak doctor"],
  async run(context, given) {
    const { out } = context;
    const checks: Check[] = [checkNode(), checkFile(context)];
    const settings = settingsOf(given, context.env);
    const address = await checkAddress(settings);
    checks.push(...address);
    if (settings.apiKey === undefined) {
      checks.push({ name: "key", ok: false, detail: "there is none; dastak login stores one" });
    } else if (address[0]?.ok) {
      const connection = connectionOf(settings, () => undefined);
      const key = await checkKey(connection, settings);
      checks.push(key);
      const sent = key.ok ? await checkSend(connection) : [];
      checks.push(...sent.filter(({ name }) => !checks.some((check) => check.name === name)));
    }
    const failed = checks.filter(({ ok }) => ok === false);
    out.show({ ok: failed.length === 0, checks }, () =>
      checks
        .map(({ name, ok, detail }) => {
          const word = ok === null ? "--" : ok ? "ok" : "NO";
          const text = wrapped(detail, out.width, " ".repeat(14)).slice(14);
          return `${out.paint(ok === null ? "dim" : ok ? "green" : "red", word)}  ${name.padEnd(10)}${text}`;
        })
        .join("\n"),
    );
    if (failed.length > 0) {
      throw new Stop("failed", "doctor", `What fails: ${failed.map(({ name }) => name).join(", ")}.`);
    }
  },
};
