// A reader of archives in the ustar format (POSIX.1-2017, pax), written from the standard and not from what writes them.

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

const number = (field: Uint8Array) => Number.parseInt(text(field).replaceAll(/[\0 ]/gu, ""), 8);

/** The files of an archive as Latin-1 text; throws where a checksum is wrong, or the end is missing. */
export function untar(tar: Uint8Array): Map<string, string> {
  const files = new Map<string, string>();
  for (let at = 0; ;) {
    const header = tar.subarray(at, at + 512);
    if (header.length < 512) throw new Error("the archive has no end");
    if (header.every((byte) => byte === 0)) return files;
    const bare = header.map((byte, place) => (place >= 148 && place < 156 ? 32 : byte));
    const sum = [...bare].reduce((total, byte) => total + byte, 0);
    if (sum !== number(header.subarray(148, 156))) throw new Error("a wrong checksum");
    const name = text(header.subarray(0, 100)).replaceAll("\0", "");
    const size = number(header.subarray(124, 136));
    files.set(name, text(tar.subarray(at + 512, at + 512 + size)));
    at += 512 + Math.ceil(size / 512) * 512;
  }
}

/** The header of hello.txt ("hi\\n", mode 644, time 0) up to the magic, as GNU tar --format=ustar writes it. */
export const SELF_CHECK = [
  "hello.txt",
  "\0".repeat(91),
  "0000644",
  "\0",
  "0000000",
  "\0",
  "0000000",
  "\0",
  "00000000003",
  "\0",
  "00000000000",
  "\0",
  "011042",
  "\0",
  " 0",
  "\0".repeat(100),
  "ustar",
  "\0",
].join("");
