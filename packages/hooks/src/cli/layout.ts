import { visibleText } from "@basis/core";

/** The widest line that is written. */
export const WIDTH = 80;

const INDENT = "  ";

/** Colours by what they mean. */
export interface Paint {
  good(text: string): string;
  bad(text: string): string;
  doubtful(text: string): string;
  strong(text: string): string;
  faint(text: string): string;
}

/** The colours for a stream: none where `NO_COLOR` is set or nobody looks. */
export function paintFor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): Paint {
  const isColoured = stream.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb";
  const style =
    (start: number, end: number) =>
    (text: string): string =>
      isColoured ? `\u001b[${start}m${text}\u001b[${end}m` : text;
  return {
    good: style(32, 39),
    bad: style(31, 39),
    doubtful: style(33, 39),
    strong: style(1, 22),
    faint: style(2, 22),
  };
}

/** Wraps a text that starts in some column; further lines start there too. A word that is too long stays whole. */
export function wrap(text: string, column = 0): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line !== "" && column + line.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join(`\n${" ".repeat(column)}`);
}

/** A term and what is said about it, the second column wrapped. */
export function definitions(
  rows: readonly (readonly [string, string])[],
  indent: number = INDENT.length,
): string {
  const left = Math.max(0, ...rows.map(([term]) => term.length)) + 2;
  const margin = " ".repeat(indent);
  return rows.map(([term, about]) => `${margin}${term.padEnd(left)}${wrap(about, indent + left)}`).join("\n");
}

/** A sentence below another, set in. */
export function inset(text: string, indent: number): string {
  return `${" ".repeat(indent)}${wrap(text, indent)}`;
}

/** What a program said, line by line and set in, so that no line of it stands where one of a command could. */
export function insetSaid(text: string, indent: number): string {
  const lines = visibleText(text.trim().replaceAll("\r\n", "\n"), { multiline: true }).split("\n");
  return lines.map((line) => inset(line.trim(), indent).trimEnd()).join("\n");
}

/** Columns as wide as their widest cell; those that hold numbers are set to the right. */
export function columns(rows: readonly (readonly string[])[], numeric: ReadonlySet<number>): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  const fit = (cell: string, at: number): string =>
    numeric.has(at) ? cell.padStart(widths[at]!) : cell.padEnd(widths[at]!);
  return rows.map((row) => `${INDENT}${row.map(fit).join("  ").trimEnd()}`).join("\n");
}

/** A count with its noun: `1 hook`, `2 hooks`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Milliseconds at a glance: `0.4 ms`, `12 ms`, `1.5 s`. */
export function duration(ms: number): string {
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`;
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}

/** Milliseconds for a document: whole microseconds. */
export function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** A digest's kind and first characters. */
export function shortDigest(digest: string): string {
  return digest.replace(/^(sha256:[0-9a-f]{12}).*$/, "$1…");
}

/** Characters of JSON texts that would steer a terminal or hide: each stands as `\uXXXX`, which means the same. */
const HIDDEN_IN_JSON = /[^\P{C}\n]|[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** A JSON document for standard output. */
export function jsonText(value: unknown): string {
  const escape = (char: string): string =>
    char
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join("");
  return `${JSON.stringify(value, null, 2).replaceAll(HIDDEN_IN_JSON, escape)}\n`;
}
