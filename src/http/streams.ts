// Reads bodies up to a limit of bytes.

/**
 * Passes each piece of a body to `take`; false when the body is longer than `bytesMax`. The rest of a request is still
 * read then, and dropped, because the local server fails when a body is left half read.
 */
async function readPieces(
  message: Request | Response,
  bytesMax: number,
  take: (bytes: Uint8Array) => void,
): Promise<boolean> {
  const length = message.headers.get("content-length");
  if (Number(length ?? 0) > bytesMax) return false;
  if (length !== null && !message.headers.has("transfer-encoding") && message instanceof Request) {
    // Without chunked encoding a request is as long as its Content-Length; reading it at once is several times faster.
    const bytes = new Uint8Array(await message.arrayBuffer());
    if (bytes.length > bytesMax) return false;
    take(bytes);
    return true;
  }
  let size = 0;
  let problem: { of: unknown } | null = null;
  for await (const chunk of message.body ?? []) {
    const bytes = chunk as Uint8Array;
    size += bytes.length;
    if (size > bytesMax && !(message instanceof Request)) return false;
    if (size > bytesMax || problem) continue;
    try {
      take(bytes);
    } catch (thrown) {
      problem = { of: thrown };
    }
  }
  if (problem && size <= bytesMax) throw problem.of;
  return size <= bytesMax;
}

/**
 * The body as text, or null when it is longer than `bytesMax`.
 * Throws TypeError when the bytes are not UTF-8.
 */
export async function readText(message: Request | Response, bytesMax: number): Promise<string | null> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let text = "";
  const whole = await readPieces(message, bytesMax, (bytes) => {
    text += decoder.decode(bytes, { stream: true });
  });
  return whole ? text + decoder.decode() : null;
}

/** The body as bytes, or null when it is longer than `bytesMax`. */
export async function readBytes(message: Request | Response, bytesMax: number): Promise<Blob | null> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const whole = await readPieces(message, bytesMax, (bytes) => pieces.push(Uint8Array.from(bytes)));
  return whole ? new Blob(pieces) : null;
}
