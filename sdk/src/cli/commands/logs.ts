import type { RefusedRequest as Refusal } from "../../index.ts";
import type { Command, Context } from "../command.ts";
import { localTime, plain, stateColor, wrapped } from "../output.ts";
import { pause } from "../../pause.ts";
import type { Given } from "../given.ts";
import type { Listed } from "./messages.ts";

// What the service accepted and refused of this account's requests, as it happens.

/** The gap between two looks; two requests each, of the 600 that an account may make in a minute. */
const LOOK_MS = 2_000;

/** Rows of one look; more than that are not shown of a bulk. */
const LOOK_ROWS = 200;

type Entry = { kind: "sent"; at: string; row: Listed } | { kind: "refused"; at: string; row: Refusal };

/** Names an entry, so that it is shown once. */
const nameOf = ({ kind, row }: Entry) => (kind === "sent" ? row.id : `${row.request_id} ${row.at}`);

/** The newest entries, oldest first. */
async function look({ connect, signal }: Context, failedOnly: boolean, limit: number): Promise<Entry[]> {
  const { client } = connect();
  const patient = { signal, retries: Infinity };
  const [refusals, messages] = await Promise.all([
    client.listRefusals({ limit }, patient),
    failedOnly ? { data: [] } : client.listMessages({ limit }, patient),
  ]);
  const entries: Entry[] = [
    ...refusals.data.map((row) => ({ kind: "refused" as const, at: row.at, row })),
    ...messages.data.map((row) => ({ kind: "sent" as const, at: row.created_at, row })),
  ];
  return entries.toSorted((one, other) => one.at.localeCompare(other.at));
}

function line({ out }: Context, entry: Entry): string {
  const time = out.paint("dim", localTime(entry.at).slice(11));
  if (entry.kind === "sent") {
    const { to, state, id } = entry.row;
    return `${time}  ${out.paint("green", "200")}  ${to.padEnd(13)}  ${out.paint(stateColor(state), state)}  ${id}`;
  }
  const { status, path, code, param, error } = entry.row;
  const at = param === null ? "" : ` (${param})`;
  const text = wrapped(`${path}  ${plain(`${code}${at}: ${error}`)}`, out.width, " ".repeat(15)).slice(15);
  return `${time}  ${out.paint("red", String(status))}  ${text}`;
}

async function run(context: Context, given: Given): Promise<void> {
  const { out, signal } = context;
  const seen = new Set<string>();
  const failedOnly = given.flag("refused");
  const rows = given.count("lines", 0, LOOK_ROWS) ?? 10;
  const first = await look(context, failedOnly, LOOK_ROWS);
  for (const entry of first) seen.add(nameOf(entry));
  const show = (entry: Entry) => out.show({ kind: entry.kind, ...entry.row }, () => line(context, entry));
  for (const entry of rows === 0 ? [] : first.slice(-rows)) show(entry);
  if (!out.json) process.stderr.write("Waiting for requests; Ctrl-C ends.\n");
  while (!signal.aborted) {
    await pause(LOOK_MS, signal);
    for (const entry of await look(context, failedOnly, LOOK_ROWS)) {
      const name = nameOf(entry);
      if (!seen.has(name)) show(entry);
      seen.add(name);
    }
  }
}

/** `dastak logs tail`. */
export const logsTail: Command = {
  name: "logs tail",
  about: "Show what is accepted and refused, as it happens",
  more: "Refusals name fields and their types, never values.",
  options: {
    refused: { type: "boolean", about: "Only what is refused" },
    lines: { type: "string", short: "n", value: "COUNT", about: "How many of before are shown; else 10" },
  },
  examples: ["dastak logs tail", "dastak logs tail --refused --json | jq .code"],
  watches: true,
  run,
};
