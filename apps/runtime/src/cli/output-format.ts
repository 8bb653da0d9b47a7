import pc from "picocolors";

/** Columns of plain text: every column as wide as its widest cell. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Colours for standard error, off where `NO_COLOR` is set or nobody looks. */
export const paint: ReturnType<typeof pc.createColors> = pc.createColors(
  pc.isColorSupported && process.stderr.isTTY,
);

/** Writes to standard error, where progress and logs belong. */
export function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Writes to standard output, where the answer belongs. */
export function answer(text: string): void {
  process.stdout.write(text.endsWith("\n") ? text : `${text}\n`);
}
