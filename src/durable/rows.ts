// Reads columns of SQL rows: only here does a value from storage get its type, which the schema guarantees.

type Row = Record<string, SqlStorageValue>;

/** A number that the schema declares NOT NULL. */
export function number(row: Row, column: string): number {
  const value = row[column];
  if (typeof value !== "number") throw new Error(`column ${column} holds no number`);
  return value;
}

/** A number or NULL. */
export function numberOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : number(row, column);
}

/** A text that the schema declares NOT NULL. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (typeof value !== "string") throw new Error(`column ${column} holds no text`);
  return value;
}

/** A text or NULL. */
export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

/** Bytes or NULL. */
export function bytesOrNull(row: Row, column: string): Uint8Array | null {
  const value = row[column];
  if (value === null) return null;
  if (!(value instanceof ArrayBuffer)) throw new Error(`column ${column} holds no bytes`);
  return new Uint8Array(value);
}
