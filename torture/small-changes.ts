import type { World } from "./small-world.ts";

// Changes of the small world, with which tests plant violations in it.

export const books = ({ books: { accounts } }: World) => accounts[0]!;
export const messageTo = (world: World, to: string) => books(world).messages.find((row) => row["to"] === to)!;
export const recordOf = (world: World, to: string) => world.books.history.find((row) => row["recipient"] === to)!;
export const entryOf = (world: World, seq: number) => books(world).ledger.find((row) => row["seq"] === seq)!;

export const without = <T>(list: T[], gone: T) => list.splice(list.indexOf(gone), 1);

/** Deletes a message from both the account and history. */
export function forget(world: World, to: string): void {
  without(books(world).messages, messageTo(world, to));
  without(world.books.history, recordOf(world, to));
}

/** Changes a message's state, in the account and in history. */
export function put(world: World, to: string, state: string): void {
  messageTo(world, to)["state"] = state;
  const record = recordOf(world, to);
  record["state"] = state;
  const timeline = JSON.parse(String(record["timeline"])) as { state: string }[];
  timeline.at(-1)!.state = state;
  record["timeline"] = JSON.stringify(timeline);
}

export type State = { state: string; at: number };

/** Changes a message's timeline. */
export function retell(world: World, to: string, change: (timeline: State[]) => State[]): void {
  const record = recordOf(world, to);
  record["timeline"] = JSON.stringify(change(JSON.parse(String(record["timeline"])) as State[]));
}

/** Sets fields of a message, in the account and in history. */
export function set(world: World, to: string, fields: Record<string, unknown>): void {
  Object.assign(messageTo(world, to), fields);
  Object.assign(recordOf(world, to), fields);
}

/** Takes all of a message's lines out of the gateway's log. */
export function unsee(world: World, to: string): void {
  const ref = messageTo(world, to)["message_id"];
  world.carrier = world.carrier.filter((line) => line["ref"] !== ref);
}

/** A message that was inserted as claimed, and whose attempt did not reach the gateway. */
export function interrupt(world: World, to: string): void {
  unsee(world, to);
  set(world, to, { error_code: "attempt_interrupted" });
  put(world, to, "unknown");
  refund(world, to);
}

export function refund(world: World, to: string): void {
  const ref = String(messageTo(world, to)["message_id"]);
  append(world, { ...entryOf(world, 12), amount: 1, message_id: ref, reference: `refund:${ref}` });
  set(world, to, { refunded: 1 });
}

/** A fault at this time of the world, for this long. */
export function fault(world: World, kind: string, atMs: number, lastsMs: number, more: object = {}): void {
  const at = Number(world.faults[0]!["at"]) - 900_000 + atMs;
  const id = world.faults.length + 1;
  world.faults.push({ t: "begin", at, id, kind, ...more }, { t: "end", at: at + lastsMs, id });
}

/** The clock leaps forward at this time of the world, and is set back a moment later. */
export function leap(world: World, atMs: number, byMs = 60_000): void {
  fault(world, "clock", atMs, 0, { toMs: byMs });
  fault(world, "clock", atMs + 10, 0, { toMs: 0 });
}

/** Recomputes all balances after an entry was added, removed or changed. */
export function rebalance(world: World, account = books(world)): void {
  let balance = 0;
  for (const row of account.ledger) {
    balance = Math.round((balance + Number(row["amount"])) * 10_000) / 10_000;
    row["balance_after"] = balance;
  }
  account.balance = balance;
}

export function append(world: World, row: Record<string, unknown>): void {
  const seq = books(world).ledger.length + 1;
  books(world).ledger.push({ ...entryOf(world, 1), reference: null, ...row, seq });
  rebalance(world);
}

export function replies(world: World, id: string) {
  return world.clients.filter((line) => line["t"] === "reply" && line["id"] === id);
}
