import type { CaughtMessage } from "../../index.ts";
import type { Command, Context } from "../command.ts";
import type { Given } from "../given.ts";
import { localTime, plain, wrapped } from "../output.ts";
import { wireOf } from "../reply.ts";
import { Stop, usage } from "../stop.ts";

// What the simulator caught of a test key's messages.

/** The longest that the service holds a request, in seconds. */
const WAIT_SEC = 25;

/** Rows that a list shows, unless it is asked for more. */
const ROWS = 20;

function whole({ out }: Context, { at, to, operation, code, text, audio_url: audio, id }: CaughtMessage): string {
  return out.facts([
    ["at", localTime(at)],
    ["to", to],
    ["kind", operation],
    ["code", code ?? undefined],
    ["text", text ?? undefined],
    ["recording", audio ?? undefined],
    ["id", id],
  ]);
}

/** One message of a watch. */
function line({ out }: Context, { at, to, operation, text, audio_url: audio }: CaughtMessage): string {
  const time = localTime(at).slice(11);
  const head = `${time}  ${to.padEnd(13)}  ${operation.replace("_international", "+").padEnd(4)}  `;
  const rest = wrapped(plain(text ?? audio), out.width, " ".repeat(head.length)).slice(head.length);
  return out.paint("dim", time) + head.slice(time.length) + rest;
}

async function watch(context: Context, query: object): Promise<void> {
  const { client } = context.connect();
  if (!context.out.json) process.stderr.write("Waiting for messages; Ctrl-C ends.\n");
  const [newest] = (await client.listTestInbox({ ...query, limit: 1 })).data;
  let since = newest?.id ?? new Date(0).toISOString();
  while (!context.signal.aborted) {
    const asked = { ...query, since, timeout: WAIT_SEC };
    const { message } = await client.waitInTestInbox(asked, { signal: context.signal, retries: Infinity });
    if (message === null) continue;
    context.out.show(message, () => line(context, message));
    since = message.id;
  }
}

async function run(context: Context, given: Given): Promise<void> {
  const { out } = context;
  const query = { to: given.text("to"), q: given.text("search") };
  if (given.flag("watch") && given.flag("wait")) throw usage("Either --watch or --wait.");
  if (given.flag("watch")) return watch(context, query);
  const { client } = context.connect();
  if (given.flag("wait")) {
    const timeout = given.count("timeout", 0, 120) ?? 30;
    const { message } = await client.waitInTestInbox({ ...query, timeout }, { signal: context.signal });
    if (message === null) throw new Stop("failed", "timeout", `No message came within ${timeout} s.`);
    return out.show(message, () => whole(context, message));
  }
  const page = await client.listTestInbox({ ...query, limit: given.count("limit", 1, 500) ?? ROWS });
  out.show(wireOf(page), () =>
    page.data.length === 0
      ? "The test inbox is empty. What a test key sends comes here."
      : out.table<CaughtMessage>(
          [
            { title: "AT", of: ({ at }) => localTime(at).slice(5) },
            { title: "TO", of: ({ to }) => to },
            { title: "KIND", of: ({ operation }) => operation.replace("_international", "+") },
            { title: "CODE", of: ({ code }) => code ?? "" },
            { title: "TEXT", of: ({ text, audio_url: audio }) => text ?? audio ?? "" },
          ],
          page.data,
        ),
  );
}

/** `dastak inbox`. */
export const inbox: Command = {
  name: "inbox",
  about: "Show what a test key sent",
  options: {
    to: { type: "string", value: "NUMBER", about: "Only messages to this number" },
    search: { type: "string", short: "s", about: "Words, or to:, kind:, text:, request:" },
    watch: { type: "boolean", short: "w", about: "Show messages as they come, until Ctrl-C" },
    wait: { type: "boolean", about: "Wait for one message, also of the last 10 s" },
    timeout: { type: "string", value: "SECONDS", about: "How long --wait waits; else 30" },
    limit: { type: "string", value: "ROWS", about: `How many are listed; else ${ROWS}` },
  },
  examples: ["dastak inbox --watch", "dastak inbox --wait --to 9876543210 --json | jq -r .code"],
  watches: true,
  run,
};
