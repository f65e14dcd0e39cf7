// Parses the replies in the bytes of a connection (RFC 9112).

export interface WireReply {
  /** 0: the service closed the connection without a reply. */
  status: number;
  headers: Map<string, string>;
  body: string;
}

export const NO_REPLY: WireReply = { status: 0, headers: new Map(), body: "" };

interface Found<T> {
  value: T;
  /** Offset of the first byte after this part. */
  end: number;
}

/** A chunked body, or null while it is incomplete. */
function chunkedAt(bytes: Buffer, start: number): Found<Buffer> | null {
  const parts: Buffer[] = [];
  for (let at = start; ;) {
    const line = bytes.indexOf("\r\n", at);
    if (line < 0) return null;
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16);
    const end = line + 2 + size + 2;
    if (!(size >= 0) || bytes.length < end) return null;
    if (size === 0) return { value: Buffer.concat(parts), end };
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = end;
  }
}

function bodyAt(bytes: Buffer, start: number, headers: Map<string, string>): Found<Buffer> | null {
  if (headers.get("transfer-encoding") === "chunked") return chunkedAt(bytes, start);
  const end = start + Number(headers.get("content-length") ?? 0);
  return bytes.length < end ? null : { value: bytes.subarray(start, end), end };
}

/** The reply that begins at this offset, or null while it is incomplete. */
function replyAt(bytes: Buffer, start: number, method: string): Found<WireReply> | null {
  const headEnd = bytes.indexOf("\r\n\r\n", start);
  if (headEnd < 0) return null;
  const [first = "", ...lines] = bytes.toString("latin1", start, headEnd).split("\r\n");
  const headers = new Map(
    lines.map((line) => [line.split(":")[0]?.toLowerCase() ?? "", line.replace(/^[^:]*: */u, "")]),
  );
  const status = Number(first.split(" ")[1]);
  const at = headEnd + 4;
  // An interim reply (1xx) precedes the final one.
  if (status >= 100 && status < 200 && status !== 101) return replyAt(bytes, at, method);
  const bare = method === "HEAD" || status === 101 || status === 204 || status === 304;
  const body = bare ? { value: Buffer.alloc(0), end: at } : bodyAt(bytes, at, headers);
  return body && { value: { status, headers, body: body.value.toString("utf8") }, end: body.end };
}

/** The complete replies in these bytes, at most one per request. */
export function repliesIn(bytes: Buffer, methods: string[]): WireReply[] {
  const replies: WireReply[] = [];
  let at = 0;
  for (const method of methods) {
    const found = replyAt(bytes, at, method);
    if (!found) break;
    replies.push(found.value);
    at = found.end;
  }
  return replies;
}
