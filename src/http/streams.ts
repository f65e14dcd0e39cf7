// Reads bodies up to a limit of bytes.

/** What was read of a body: null when it is longer than allowed. Its length is as declared, or else as counted. */
export interface Bounded<T> {
  value: T | null;
  bytes: number;
}

/**
 * Passes each piece of a body to `take`, and returns its length; above `bytesMax` not all pieces were passed. A body
 * whose declared length is larger is not read. The rest of a request without a declared length is still read, counted
 * and dropped, because the local server fails when a body is left half read.
 */
async function readPieces(
  message: Request | Response,
  bytesMax: number,
  take: (bytes: Uint8Array) => void,
): Promise<number> {
  const length = message.headers.get("content-length");
  if (Number(length ?? 0) > bytesMax) return Number(length);
  if (length !== null && !message.headers.has("transfer-encoding") && message instanceof Request) {
    // Without chunked encoding, the HTTP server ends a request at its Content-Length (RFC 9112 §6.3), so that a false
    // one cannot make this longer. Reading it at once is several times faster.
    const bytes = new Uint8Array(await message.arrayBuffer());
    if (bytes.length <= bytesMax) take(bytes);
    return bytes.length;
  }
  let size = 0;
  let problem: { of: unknown } | null = null;
  for await (const chunk of message.body ?? []) {
    const bytes = chunk as Uint8Array;
    size += bytes.length;
    if (size > bytesMax && !(message instanceof Request)) return size;
    if (size > bytesMax || problem) continue;
    try {
      take(bytes);
    } catch (thrown) {
      problem = { of: thrown };
    }
  }
  if (problem && size <= bytesMax) throw problem.of;
  return size;
}

/**
 * The body as text, unless it is longer than `bytesMax`.
 * Throws TypeError when the bytes are not UTF-8.
 */
export async function textUpTo(message: Request | Response, bytesMax: number): Promise<Bounded<string>> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let text = "";
  const bytes = await readPieces(message, bytesMax, (piece) => {
    text += decoder.decode(piece, { stream: true });
  });
  return { value: bytes > bytesMax ? null : text + decoder.decode(), bytes };
}

/** The body as text, or null when it is longer than `bytesMax`. Throws TypeError when the bytes are not UTF-8. */
export async function readText(message: Request | Response, bytesMax: number): Promise<string | null> {
  return (await textUpTo(message, bytesMax)).value;
}

/** The body as bytes, unless it is longer than `bytesMax`. */
export async function bytesUpTo(message: Request | Response, bytesMax: number): Promise<Bounded<Uint8Array>> {
  const pieces: Uint8Array[] = [];
  const bytes = await readPieces(message, bytesMax, (piece) => pieces.push(piece.slice()));
  if (bytes > bytesMax) return { value: null, bytes };
  const [only] = pieces;
  if (only && pieces.length === 1) return { value: only, bytes };
  const value = new Uint8Array(bytes);
  let at = 0;
  for (const piece of pieces) {
    value.set(piece, at);
    at += piece.length;
  }
  return { value, bytes };
}
