import { env } from "cloudflare:workers";
import { prove } from "../../src/client/prove.ts";
import type { Page } from "./visitor.ts";

// Limits of sign-in codes, for tests.

let networks = 0;

/** An address in a site (/48) that no other test of this file uses. */
export function freshAddress(): string {
  networks += 1;
  return `2001:db8:${networks.toString(16)}::1`;
}

/** Forgets every attempt that was counted. */
export async function forgetCounts(): Promise<void> {
  await env.DB.prepare("DELETE FROM attempt").run();
}

const textOf = (text: string) => text.replaceAll("&amp;", "&").replaceAll("&#39;", "'");

/** The ticket of the bot check that a page shows; null when it shows none. */
export function ticketOf({ text }: Page): string | null {
  const [, ticket] = /name="ticket" value="([^"]*)"/u.exec(text) ?? [];
  return ticket === undefined ? null : textOf(ticket);
}

/** The fields with which a page's script answers its bot check. */
export async function solved(page: Page): Promise<{ ticket: string; work: string }> {
  const ticket = ticketOf(page);
  const [, bits] = /data-bits="(\d+)"/u.exec(page.text) ?? [];
  if (ticket === null || bits === undefined) throw new Error("the page shows no work to prove");
  return { ticket, work: String(await prove(ticket, Number(bits))) };
}
