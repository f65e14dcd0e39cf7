// MCP over stdin and stdout: each line is a JSON-RPC message, which is passed to the service's own address for MCP, so that
// the tools are the service's by construction. Only messages go out.

type Id = string | number | null;

type Message = Readonly<Record<string, unknown>>;

export interface BridgeTo {
  /** The service's address for MCP. */
  endpoint: string;
  apiKey: string;
  /** Takes one message that goes to the client. */
  write: (line: string) => void;
  /** Takes what people should know. */
  tell: (text: string) => void;
  /** Ends the calls that run. */
  signal: AbortSignal;
}

/** How long a call may take: the longest tool waits for a minute. */
const CALL_MS = 120_000;

const PARSE_ERROR = -32_700;
/** The first of the codes that JSON-RPC leaves to servers (§5.1). */
const SERVER_ERROR = -32_000;

const isMessage = (value: unknown): value is Message =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const idIn = ({ id }: Message): Id => (typeof id === "string" || typeof id === "number" ? id : null);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A value of a header; text beyond visible ASCII as Base64 (MCP 2026-07-28, "Value Encoding"). */
const headerText = (text: string): string =>
  /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/u.test(text) && !text.startsWith("=?base64?")
    ? text
    : `=?base64?${Buffer.from(text).toString("base64")}?=`;

/** The headers that repeat a request of 2026-07-28; over stdio it has none. */
function headersOf({ method, params }: Message): Record<string, string> {
  const meta = isMessage(params) ? params["_meta"] : undefined;
  const version = isMessage(meta) ? meta["io.modelcontextprotocol/protocolVersion"] : undefined;
  if (!isMessage(params) || typeof version !== "string" || typeof method !== "string") return {};
  const { name } = params;
  return {
    "mcp-protocol-version": headerText(version),
    "mcp-method": headerText(method),
    ...(method === "tools/call" && typeof name === "string" && { "mcp-name": headerText(name) }),
  };
}

const faultOf = (id: Id, code: number, message: string, data?: object) => ({
  jsonrpc: "2.0",
  id,
  error: { code, message, data },
});

/** The reply to one message; null for none. Whatever fails is a reply too. */
async function replyTo(line: string, message: unknown, to: BridgeTo, signal: AbortSignal): Promise<object | null> {
  const id = isMessage(message) ? idIn(message) : null;
  let status = 0;
  let text: string;
  try {
    const reply = await fetch(to.endpoint, {
      method: "POST",
      redirect: "manual",
      headers: {
        authorization: `Bearer ${to.apiKey}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(isMessage(message) && headersOf(message)),
      },
      body: line,
      signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
    });
    status = reply.status;
    text = await reply.text();
  } catch (problem) {
    if (signal.aborted) return null;
    const { message: why, cause } = problem as Error & { cause?: { code?: string } };
    const said = `${to.endpoint} does not answer (${cause?.code ?? why}).`;
    to.tell(said);
    return faultOf(id, SERVER_ERROR, `${said} Whether a call was done is unknown; repeat it with the same arguments.`);
  }
  const body = parsed(text);
  // A message that the service could not read has no id there.
  if (isMessage(body) && body["jsonrpc"] === "2.0") return { ...body, id: idIn(body) ?? id };
  const { error, hint, code, request_id } = isMessage(body) ? body : ({} as Message);
  if (typeof error !== "string") {
    to.tell(`${to.endpoint} answers ${status}, but not as this service does.`);
    return faultOf(id, SERVER_ERROR, `${to.endpoint} answers ${status}, but not as this service does.`);
  }
  const said = typeof hint === "string" ? `${error} ${hint}` : error;
  to.tell(said);
  return faultOf(id, SERVER_ERROR, said, { code, status, request_id });
}

/** The lines of a stream of text, ended by line feeds alone: JSON may have other separators of lines in its texts. */
export async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of chunks) {
    const [first = "", ...more] = chunk.split("\n");
    rest += first;
    for (const next of more) {
      yield rest;
      rest = next;
    }
  }
  yield rest;
}

/** Passes each message on and writes its reply when it comes, in any order, until there are no more lines. */
export async function bridge(lines: AsyncIterable<string>, to: BridgeTo): Promise<void> {
  const running = new Map<string, AbortController>();
  const all = new Set<Promise<void>>();
  for await (const line of lines) {
    if (line.trim() === "") continue;
    const message = parsed(line);
    if (message === undefined) {
      to.write(JSON.stringify(faultOf(null, PARSE_ERROR, "This line is not JSON.")));
      continue;
    }
    if (isMessage(message) && message["id"] === undefined && typeof message["method"] === "string") {
      const { method, params } = message;
      const cancelled = method === "notifications/cancelled" && isMessage(params) ? params["requestId"] : undefined;
      // The service keeps nothing between messages, so no notification means anything to it.
      if (cancelled !== undefined) running.get(JSON.stringify(cancelled))?.abort();
      continue;
    }
    const stop = new AbortController();
    const id = JSON.stringify(isMessage(message) ? idIn(message) : null);
    running.set(id, stop);
    const work = replyTo(line, message, to, AbortSignal.any([stop.signal, to.signal])).then((reply) => {
      if (reply) to.write(JSON.stringify(reply));
      if (running.get(id) === stop) running.delete(id);
      all.delete(work);
    });
    all.add(work);
  }
  await Promise.all(all);
}
