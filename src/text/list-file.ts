// Files with lists, as spreadsheets write them.

/** First bytes of .xlsx and .ods (a zip archive, APPNOTE 4.3.7), and of .xls (MS-CFB 2.2). */
const WORKBOOKS = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
];

const startsWith = (bytes: Uint8Array, start: readonly number[]) => start.every((byte, at) => bytes[at] === byte);

/** The text of a file: UTF-8, or UTF-16 with a byte order mark. Null for a workbook, which is no text. */
export function listText(bytes: Uint8Array): string | null {
  if (WORKBOOKS.some((start) => startsWith(bytes, start))) return null;
  const encoding = startsWith(bytes, [0xff, 0xfe])
    ? "utf-16le"
    : startsWith(bytes, [0xfe, 0xff])
      ? "utf-16be"
      : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}
