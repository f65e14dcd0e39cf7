import { DastakError } from "../index.ts";
import type { Preflight, PreflightBody } from "../index.ts";
import type { Connection } from "./connection.ts";
import type { Context } from "./command.ts";
import type { Order } from "./order.ts";
import { plain } from "./output.ts";
import { amount, counted, wireOf } from "./reply.ts";
import { Stop } from "./stop.ts";

// What a send would do, asked of the service, which does everything but send.

/** Letters that are named, of those that make a text more expensive. */
const NAMED_MAX = 5;

function textLine({ text }: Preflight, operation: PreflightBody["operation"]): string | undefined {
  if (text === null) return undefined;
  // A call has no segments.
  if (operation === "tts") return `${counted(text.characters, "character")}, ${text.left} more fit in`;
  const { encoding, characters, segments, unicode, segments_if_replaced: fewer } = text;
  const line = `${counted(characters, "character")}, ${counted(segments, "segment")} of ${encoding}`;
  if (unicode.length === 0) return line;
  const named = unicode.slice(0, NAMED_MAX).map(({ char, code_point: point, instead }) => {
    const better = instead === undefined ? "" : ` → ${instead === "" ? "nothing" : instead}`;
    return `${plain(char)} ${point}${better}`;
  });
  const rest = unicode.length > NAMED_MAX ? ` and ${unicode.length - NAMED_MAX} more` : "";
  const gain = fewer < segments ? `; ${counted(fewer, "segment")} without these` : "";
  return `${line}; not GSM-7: ${named.join(", ")}${rest}${gain}`;
}

function recipientsLine({ recipients: { given, valid, duplicates, invalid } }: Preflight): string | undefined {
  if (given <= 1 && invalid.length === 0) return undefined;
  const more = duplicates > 0 ? `, ${counted(duplicates, "duplicate")}` : "";
  return `${given} given, ${valid} valid${more}`;
}

function shown({ out }: Context, preflight: Preflight, operation: PreflightBody["operation"]): string {
  const { would, problems, cost, balance_after: after, quote, quote_until: until } = preflight;
  const coins =
    cost === null ? undefined : `${counted(cost, "coin")}${after === null ? "" : `; ${amount(after)} left then`}`;
  const facts = out.facts([
    ["would", would === "send" ? "be sent; nothing was sent now" : "be refused"],
    ["cost", coins],
    ["text", textLine(preflight, operation)],
    ["recipients", recipientsLine(preflight)],
    ["quote", quote === null ? undefined : `${quote} until ${until ?? ""}`],
  ]);
  const lines = problems.map(({ error, hint }) => `- ${error} ${hint ?? ""}`);
  return [facts, ...lines.map((line) => plain(line).trimEnd())].join("\n");
}

/** The request itself, for a service without preflights. */
function requestOf({ client: _client, url }: Connection, { base, path, body }: Order) {
  return { method: "POST", url: url.replaceAll("{base}", base).replace(/\/+$/u, "") + path, body };
}

/** Tells what the order would do, and ends with 4 where it would be refused. */
export async function preflight(context: Context, connection: Connection, order: Order): Promise<void> {
  let reply: Preflight;
  try {
    reply = await connection.client.preflight(order.asked);
  } catch (problem) {
    if (!(problem instanceof DastakError) || problem.status !== 404) throw problem;
    const request = requestOf(connection, order);
    const text = `This service has no preflight. Nothing was sent; the request is:\nPOST ${request.url}\n${JSON.stringify(request.body, null, 2)}`;
    return context.out.show({ dry_run: true, request }, text);
  }
  context.out.show({ dry_run: true, ...wireOf(reply) }, () => shown(context, reply, order.asked.operation));
  const [first] = reply.problems;
  if (reply.would === "refuse") throw new Stop("refused", first?.code ?? "refused", "It would be refused.");
}
