// An archive in the ustar format (POSIX.1-2017, pax, "ustar Interchange Format"), made while it is read: one file after
// the other, each with its size before its bytes.

/** A file of the archive: bytes in memory, or a stream of a known size. */
export type TarFile = { name: string; at: number } & (
  { bytes: Uint8Array } | { size: number; body: ReadableStream<Uint8Array> }
);

const BLOCK_SIZE = 512;
const NAME_SIZE = 100;

/** Offsets and sizes of the fields that are used, in bytes. */
const FIELDS = {
  name: [0, NAME_SIZE],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
  devmajor: [329, 8],
  devminor: [337, 8],
} as const;

/** A number in octal digits, which end with a NUL. */
const octal = (value: number, size: number) => `${value.toString(8).padStart(size - 1, "0")}\0`;

function headerOf(name: string, size: number, at: number): Uint8Array {
  const header = Buffer.alloc(BLOCK_SIZE);
  const put = (field: keyof typeof FIELDS, text: string) => {
    const [offset, length] = FIELDS[field];
    if (Buffer.byteLength(text) > length) throw new Error(`the ${field} of a file is too long for an archive`);
    header.write(text, offset, "utf8");
  };
  put("name", name);
  put("mode", octal(0o644, 8));
  put("uid", octal(0, 8));
  put("gid", octal(0, 8));
  put("size", octal(size, 12));
  put("mtime", octal(Math.floor(at / 1_000), 12));
  put("type", "0");
  put("magic", "ustar\u000000");
  put("devmajor", octal(0, 8));
  put("devminor", octal(0, 8));
  // The sum of all bytes, with spaces in place of the sum itself.
  put("checksum", " ".repeat(8));
  const sum = [...header].reduce((total, byte) => total + byte, 0);
  put("checksum", `${sum.toString(8).padStart(6, "0")}\0 `);
  return header;
}

const paddingOf = (size: number) => new Uint8Array((BLOCK_SIZE - (size % BLOCK_SIZE)) % BLOCK_SIZE);

/** The bytes of a stream, which must be exactly `size`. */
async function* exactly(body: ReadableStream<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of body) {
    read += chunk.length;
    if (read > size) break;
    yield chunk;
  }
  if (read !== size) throw new Error("a file has another size than it was listed with");
}

/** The archive of some files, in pieces; none of it is kept. */
export async function* tarOf(files: AsyncIterable<TarFile>): AsyncGenerator<Uint8Array> {
  for await (const file of files) {
    const size = "bytes" in file ? file.bytes.length : file.size;
    yield headerOf(file.name, size, file.at);
    if ("bytes" in file) yield file.bytes;
    else yield* exactly(file.body, size);
    yield paddingOf(size);
  }
  yield new Uint8Array(2 * BLOCK_SIZE);
}

/** Pieces as a stream, made one by one as its reader takes them. */
export function streamOf(pieces: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await pieces.next();
        if (next.done === true) controller.close();
        else if (next.value.length > 0) controller.enqueue(next.value);
        else await this.pull?.(controller);
      },
      async cancel() {
        await pieces.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}
