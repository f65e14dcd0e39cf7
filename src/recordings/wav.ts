// Measures a WAV file (RIFF, RFC 2361) by the bytes that are present: the price must not depend on its header's claims.

/** Format codes that a call can play: PCM, A-law, µ-law. Each has a fixed size per sample. */
const PLAYABLE: ReadonlySet<number> = new Set([1, 6, 7]);
/** With this format code, the real one is 24 bytes into the format chunk. */
const EXTENSIBLE = 0xfffe;

const FIRST_CHUNK_AT = 12;
const CHUNK_HEADER_SIZE = 8;

/** The chunks of a RIFF file, each cut to the bytes that are present. */
function* chunksOf(bytes: Uint8Array): Generator<[name: string, view: DataView]> {
  const file = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = FIRST_CHUNK_AT; at + CHUNK_HEADER_SIZE <= bytes.length;) {
    const start = at + CHUNK_HEADER_SIZE;
    const size = file.getUint32(at + 4, true);
    const there = Math.min(size, bytes.length - start);
    const name = String.fromCharCode(...bytes.subarray(at, at + 4));
    yield [name, new DataView(bytes.buffer, bytes.byteOffset + start, there)];
    // Chunks begin at even offsets.
    at = start + size + (size % 2);
  }
}

interface Format {
  code: number;
  /** 0 where the header contradicts itself. */
  bytesPerSecond: number;
}

function formatOf(view: DataView): Format | null {
  if (view.byteLength < 16) return null;
  const said = view.getUint16(0, true);
  const code = said === EXTENSIBLE && view.byteLength >= 26 ? view.getUint16(24, true) : said;
  const sampleSize = Math.ceil(view.getUint16(14, true) / 8);
  const frameSize = view.getUint16(12, true);
  // With a frame size larger than its samples, a recording would last longer than the time it is billed for.
  const honest = frameSize === sampleSize * view.getUint16(2, true);
  return { code, bytesPerSecond: honest ? view.getUint32(4, true) * frameSize : 0 };
}

/** The duration of a WAV file by its bytes, or why a call cannot play it. */
export function measureWav(bytes: Uint8Array): { ok: true; durationMs: number } | { ok: false; found: string } {
  let format: Format | null = null;
  for (const [name, view] of chunksOf(bytes)) {
    if (name === "fmt ") format = formatOf(view);
    if (format && !PLAYABLE.has(format.code)) return { ok: false, found: `WAV with codec number ${format.code}` };
    if (name !== "data" || !format || format.bytesPerSecond === 0) continue;
    return { ok: true, durationMs: Math.ceil((view.byteLength * 1000) / format.bytesPerSecond) };
  }
  return { ok: false, found: "a damaged WAV file" };
}
