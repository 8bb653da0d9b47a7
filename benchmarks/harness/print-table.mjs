/** @typedef {{ title: string, note: string, rows: string[][] }} Table The first row is the head; one of one or two cells runs on. */

/** For a terminal. @param {Table} table */
export function asText({ title, note, rows }) {
  return [title, note]
    .filter((line) => line !== "")
    .join("\n")
    .concat("\n", grid(rows));
}

/** For a README. @param {Table} table */
export function asMarkdown({ title, note, rows }) {
  const [head] = rows;
  const line = (row) => {
    const cells = head.map((_, at) => (row[at] ?? "").trim().replaceAll("|", "\\|"));
    if (row.length === 1) cells[0] = `**${cells[0]}**`;
    return `| ${cells.join(" | ")} |`;
  };
  const rule = `|${head.map((_, at) => (at === 0 ? "---" : "--:")).join("|")}|`;
  const [first, ...others] = rows.map(line);
  return [`## ${title}`, "", ...(note === "" ? [] : [note, ""]), first, rule, ...others, ""].join("\n");
}

/** Columns under one another: the first to the left, numbers to the right. */
function grid(rows) {
  const full = rows.filter((row) => row.length > 2);
  const widths = full[0].map((_, at) => Math.max(...full.map((row) => row[at].length)));
  const line = (row) =>
    row.length > 2
      ? row.map((cell, at) => (at === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[at]))).join("  ")
      : [row[0].padEnd(row.length === 2 ? widths[0] : 0), ...row.slice(1)].join("  ");
  return rows.map((row) => `${line(row).trimEnd()}\n`).join("");
}
