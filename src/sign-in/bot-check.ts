import { createHash } from "node:crypto";
import type { Config } from "../config/settings.ts";
import type { Passed } from "./code-limits.ts";
import type { Origin } from "./network.ts";
import { WORK_BITS, issueTicket, provesWork, readTicket } from "./proof-of-work.ts";
import type { Ticket } from "./proof-of-work.ts";
import { TURNSTILE_ACTION, verifyTurnstile } from "./turnstile.ts";

// The bot check before a code when a ceiling nears: Turnstile where it is configured, else proof of work. A browser
// that can do neither waits.

/** How long a browser waits that passes no check. */
const WAIT_MS = 20_000;

/** What a form says about a bot check: empty fields when none was shown. */
export interface CheckAnswer {
  ticket: string;
  /** The number that proves the work. */
  work: string;
  /** Turnstile's token. */
  turnstile: string;
}

/** The fields of a posted form that belong to a bot check. */
export function checkAnswerOf(form: Readonly<Record<string, string>>): CheckAnswer {
  return { ticket: form["ticket"] ?? "", work: form["work"] ?? "", turnstile: form["cf-turnstile-response"] ?? "" };
}

/** What a page shows for a bot check. */
export interface BotCheck {
  ticket: string;
  /** Zero bits of the proof of work. */
  bits: number;
  /** Seconds until the ticket alone is enough. */
  waitSec: number;
  /** Turnstile's widget, in place of the proof of work. */
  turnstile: { siteKey: string; script: string; action: string } | null;
}

interface Asker {
  phone: string;
  origin: Origin;
  /** The client's address, for Turnstile. */
  address: string | undefined;
}

type Checked =
  | { ok: false; check: BotCheck }
  /** `next` is for a solution that turns out to be used. */
  | { ok: true; passed: Passed; next: BotCheck };

function checkOf(config: Config, ticket: Ticket, nowMs: number): BotCheck {
  const { TURNSTILE_SITE_KEY: siteKey, TURNSTILE_URL } = config;
  const script = `${TURNSTILE_URL}/turnstile/v0/api.js`;
  return {
    ticket: ticket.text,
    bits: WORK_BITS,
    waitSec: Math.max(1, Math.ceil((ticket.issuedAt + WAIT_MS - nowMs) / 1000)),
    turnstile: siteKey === undefined ? null : { siteKey, script, action: TURNSTILE_ACTION },
  };
}

/** Checks an answer; a missing or wrong one leads to the check that the page then shows. Costs one hash at most. */
export async function passedCheck(
  config: Config,
  { phone, origin, address }: Asker,
  { ticket: text, work, turnstile }: CheckAnswer,
  nowMs: number,
): Promise<Checked> {
  const binding = { phone, network: origin.network };
  const ticket = readTicket(config.KEY_SECRET, binding, text, nowMs);
  const fresh = () => checkOf(config, issueTicket(config.KEY_SECRET, binding, nowMs), nowMs);
  const passed = (by: Passed["by"], id: string): Checked => ({ ok: true, passed: { by, id }, next: fresh() });
  if (config.TURNSTILE_SITE_KEY !== undefined) {
    if (await verifyTurnstile(config, turnstile, address)) {
      return passed("turnstile", createHash("sha256").update(turnstile).digest("base64url"));
    }
  } else if (ticket && provesWork(ticket, work)) return passed("work", ticket.text);
  if (!ticket) return { ok: false, check: fresh() };
  return nowMs - ticket.issuedAt >= WAIT_MS
    ? passed("wait", ticket.text)
    : { ok: false, check: checkOf(config, ticket, nowMs) };
}
