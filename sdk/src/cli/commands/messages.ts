import type { Command, Context } from "../command.ts";
import { localTime, stateColor } from "../output.ts";
import type { Column } from "../output.ts";
import { counted, wireOf } from "../reply.ts";
import { usage } from "../stop.ts";

// What was sent, and what became of it.

/** Rows that a list shows, unless it is asked for more. */
const ROWS = 20;

/** A message as the service lists it, of which this program shows a part. */
export interface Listed {
  id: string;
  operation: string;
  to: string;
  state: string;
  cost: number;
  refunded: boolean;
  error_code: string | null;
  created_at: string;
}

const COLUMNS: readonly Column<Listed>[] = [
  { title: "AT", of: (row) => localTime(row.created_at).slice(5, 16) },
  { title: "TO", of: ({ to }) => to },
  { title: "KIND", of: ({ operation }) => operation.replace("_international", "+"), spare: true },
  { title: "STATE", of: ({ state }) => state, color: ({ state }) => stateColor(state) },
  { title: "COST", of: ({ cost, refunded }) => (refunded ? "0" : String(cost)), right: true, spare: true },
  { title: "ID", of: ({ id }) => id, whole: true },
];

/** Messages as a table; the ids stand last and whole, because they are what is copied. */
const tableOf = ({ out }: Context, rows: readonly Listed[]) => out.table(COLUMNS, rows);

const limit = { type: "string", value: "ROWS", about: `How many; else ${ROWS}` } as const;

const messages: Command = {
  name: "messages",
  about: "List what was sent, newest first",
  options: {
    search: { type: "string", short: "s", about: "As on the dashboard: to:, state:, kind:, after:, …" },
    limit,
    after: { type: "string", value: "PLACE", about: "The next of the page before" },
  },
  examples: ["dastak messages", "dastak messages --search state:failed --json | jq -r '.data[].to'"],
  async run(context, given) {
    const { client } = context.connect();
    const q = given.text("search");
    const page = await client.listMessages({
      q,
      limit: given.count("limit", 1, 500) ?? ROWS,
      after: given.text("after"),
    });
    const more = page.next === null ? "" : `\nMore: --after ${page.next}`;
    context.out.show(wireOf(page), () => (page.data.length === 0 ? "None." : tableOf(context, page.data) + more));
  },
};

const messagesGet: Command = {
  name: "messages get",
  about: "Show one message or call, and what became of it",
  args: [{ name: "ID", about: "msg_… or call_…" }],
  options: {},
  examples: ["dastak messages get msg_7Xk2"],
  async run(context, given) {
    const { out } = context;
    const { message } = await context.connect().client.getMessage(given.arg(0));
    out.show(message, () => {
      const facts = out.facts([
        ["state", message.state],
        ["why", message.explanation],
        ["to", message.to],
        ["kind", message.operation],
        ["sender", message.sender ?? undefined],
        ["text", message.text ?? undefined],
        ["cost", `${counted(message.cost, "coin")}${message.refunded ? ", refunded" : ""}`],
        ["error", message.error_code ?? undefined],
        ["sent", localTime(message.created_at)],
        // A service from before this field leaves it out.
        ["for", message.send_at ? localTime(message.send_at) : undefined],
        ["request", message.request_id],
      ]);
      const steps = message.timeline.map(
        ({ at, state }) => `  ${localTime(at)}  ${out.paint(stateColor(state), state)}`,
      );
      return [facts, ...steps].join("\n");
    });
  },
};

const requestsGet: Command = {
  name: "requests get",
  about: "Show one request: its messages and their states",
  args: [{ name: "ID", about: "req_…, the X-Request-Id of a send" }],
  options: { limit },
  examples: ["dastak requests get req_4f1c"],
  async run(context, given) {
    const { out } = context;
    const page = await context
      .connect()
      .client.getRequest(given.arg(0), { limit: given.count("limit", 1, 500) ?? ROWS });
    const { request, data, next } = page;
    out.show(wireOf(page), () => {
      const states = Object.entries(request.by_state).map(([state, count]) => `${String(count)} ${state}`);
      const facts = out.facts([
        ["request", request.request_id],
        ["kind", request.operation],
        ["at", localTime(request.at)],
        ["recipients", `${request.recipients}: ${states.join(", ")}`],
        ["cost", `${counted(request.cost, "coin")}, ${request.refunded} refunded`],
      ]);
      const shown = next === null ? "" : `\nThe first ${data.length} of ${request.recipients}; --limit shows more.`;
      return `${facts}\n\n${tableOf(context, data)}${shown}`;
    });
  },
};

const cancel: Command = {
  name: "cancel",
  about: "Take back what is scheduled or queued, for its coins",
  args: [{ name: "ID", about: "msg_… or call_…, or req_… for all of a request" }],
  options: {},
  examples: ["dastak cancel msg_7Xk2"],
  async run(context, given) {
    const id = given.arg(0);
    if (!/^(?:msg|call|req)_/u.test(id)) throw usage("An id begins with msg_, call_ or req_.");
    const { client } = context.connect();
    const reply = await (id.startsWith("req_") ? client.cancelRequest(id) : client.cancelMessage(id));
    const text = `${counted(reply.cancelled, "message")} cancelled, ${counted(reply.refunded, "coin")} refunded.`;
    context.out.show(wireOf(reply), text);
  },
};

export const MESSAGES = [messages, messagesGet, requestsGet, cancel];
