import type { AccountEvent } from "../../index.ts";
import type { Command, Context } from "../command.ts";
import { localTime, plain, stateColor } from "../output.ts";

/** Whether an event is of one of these types; `message.*` stands for all that begin so. */
export const isOf = (types: readonly string[], type: string): boolean =>
  types.length === 0 ||
  types.some((wanted) => wanted === type || (wanted.endsWith("*") && type.startsWith(wanted.slice(0, -1))));

/** A terminal on which a line has room for the number beside the id. */
const WIDE = 96;

/** What an event says, in a few words. */
function aboutEvent({ data }: AccountEvent, width: number): string {
  const { to, message_id: id, error_code: error } = data as Record<string, unknown>;
  if (id !== undefined) {
    return [width < WIDE ? null : to, id, error].filter((part) => typeof part === "string").join("  ");
  }
  return Object.entries(data)
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : String(value)}`)
    .join(", ");
}

/** One line for an event. */
export function eventLine({ out }: Context, event: AccountEvent): string {
  const { seq, type, at } = event;
  const color = stateColor(type.replace(/^message\./u, ""));
  const head = `${out.paint("dim", localTime(at).slice(11))}  #${String(seq).padEnd(5)} ${out.paint(color, type.padEnd(19))}`;
  return `${head}  ${plain(aboutEvent(event, out.width))}`;
}

/** `dastak events tail`. */
export const eventsTail: Command = {
  name: "events tail",
  about: "Show the account's events, as they happen",
  more: "Each has a number; --after with the last number that was handled goes on without a gap.",
  options: {
    after: { type: "string", value: "SEQ", about: "Begin after this event; 0 is the beginning" },
    type: {
      type: "string",
      short: "t",
      multiple: true,
      about: "Only this type, such as message.delivered or message.*",
    },
    "until-now": { type: "boolean", about: "End when no more are there" },
  },
  examples: ["dastak events tail", "dastak events tail --after 0 --until-now --json | jq -c .data"],
  watches: true,
  async run(context, given) {
    const { client } = context.connect();
    const after = given.count("after", 0, Number.MAX_SAFE_INTEGER);
    const untilNow = given.flag("until-now");
    const types = given.list("type");
    if (!context.out.json && !untilNow) process.stderr.write("Waiting for events; Ctrl-C ends.\n");
    for await (const event of client.events({ after, untilNow, signal: context.signal })) {
      if (isOf(types, event.type)) context.out.show(event, () => eventLine(context, event));
    }
  },
};
