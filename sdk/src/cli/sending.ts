import type { Context, Options } from "./command.ts";
import type { Connection } from "./connection.ts";
import type { Given } from "./given.ts";
import { valueOrInput } from "./input.ts";
import type { Mended } from "./numbers.ts";
import type { Order } from "./order.ts";
import { preflight } from "./preflighted.ts";
import { amount, counted, wireOf } from "./reply.ts";
import { Stop, usage } from "./stop.ts";

// What every sending command does with its order: shows it, or sends it once.

/** Options of every command that sends. */
export const SENDING: Options = {
  "dry-run": { type: "boolean", about: "Tell cost and problems, and send nothing" },
  "idempotency-key": { type: "string", value: "KEY", about: "Names this order: run again, it is sent once" },
  quote: { type: "string", about: "The quote of a dry run, whose price then holds" },
  yes: { type: "boolean", short: "y", about: "Send with a live key where no terminal is" },
};

/** When it is sent. */
export const LATER: Options = {
  at: { type: "string", value: "TIME", about: "Send then: 2026-12-01T09:00:00+05:30" },
};

/** A phone number of the command line; throws a `Stop` for what is not clear. */
export function numberOf(given: Given, name: string, mend: (written: string) => Mended): string {
  const mended = mend(given.need(name));
  if (!mended.ok) throw usage(mended.problem);
  return mended.number;
}

/** The text to send, from its option or the standard input. */
export async function textIn(given: Given): Promise<string> {
  const text = await valueOrInput(given.need("text"));
  if (text.trim() === "") throw usage("The text is empty.");
  return text;
}

/** The time of `--at` as the API takes it; the service says what is wrong with it. */
export const laterIn = (given: Given) => ({ sendAt: given.text("at") });

function resultText(reply: Record<string, unknown>, { note }: Order): string {
  const { message, message_id: id, replayed, coins_used: used, coins_remaining: left, details } = reply;
  const { cost = used, new_balance: balance = left } = (details ?? {}) as Record<string, unknown>;
  const coins = typeof cost === "number" ? ` ${counted(cost, "coin")}, ${amount(Number(balance))} left.` : "";
  const sentence = (typeof message === "string" ? message : "Sent").replace(/[^.!?]$/u, "$&.");
  return [
    replayed === true ? "This was sent before, and not again." : undefined,
    `${sentence}${coins}`,
    note,
    `What became of it: dastak messages get ${String(id)}`,
  ]
    .filter((line) => line !== undefined)
    .join("\n");
}

/** Sends the order, or tells what it would do. */
export async function place(context: Context, given: Given, order: Order): Promise<void> {
  const connection: Connection = context.connect();
  if (given.flag("dry-run")) return preflight(context, connection, order);
  if (connection.mode === "live" && !process.stdout.isTTY && !given.flag("yes")) {
    throw new Stop(
      "usage",
      "confirm",
      "A live key sends and costs coins.",
      "Add --yes to send, or --dry-run to see it.",
    );
  }
  const idempotencyKey = given.text("idempotency-key") ?? crypto.randomUUID();
  const quote = given.text("quote");
  const reply = wireOf(await order.send(connection.client, { idempotencyKey, quote }));
  context.out.show({ ...reply, idempotency_key: idempotencyKey }, () => resultText(reply, order));
}
