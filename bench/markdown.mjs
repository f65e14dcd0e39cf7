// Tables in Markdown, as docs/proof.md keeps them.

/** A table: `columns` are titles with how to show a row; all but the first are aligned to the right. */
export function markdownTable(rows, columns) {
  const names = Object.keys(columns);
  const cells = rows.map((row) => Object.values(columns).map((of) => String(of(row))));
  const width = names.map((name, at) => Math.max(name.length, ...cells.map((row) => row[at].length)));
  const line = (row) =>
    `| ${row.map((cell, at) => (at === 0 ? cell.padEnd(width[at]) : cell.padStart(width[at]))).join(" | ")} |`;
  const rule = width.map((length, at) => (at === 0 ? "-".repeat(length) : `${"-".repeat(length - 1)}:`)).join(" | ");
  return [line(names), `| ${rule} |`, ...cells.map(line)].join("\n");
}
