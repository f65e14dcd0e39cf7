/**
 * The body as text, or null when it is longer than `bytesMax`; the rest is then not read.
 * Throws TypeError when the bytes are not UTF-8.
 */
export async function readText(message: Request | Response, bytesMax: number): Promise<string | null> {
  if (Number(message.headers.get("content-length") ?? 0) > bytesMax) return null;
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let text = "";
  let size = 0;
  for await (const chunk of message.body ?? []) {
    const bytes = chunk as Uint8Array;
    size += bytes.length;
    if (size > bytesMax) return null;
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}
