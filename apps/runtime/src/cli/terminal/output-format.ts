import { visibleText } from "@basis/approval";
import pc from "picocolors";
import { secrets } from "../../secrets/secrets.ts";

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

/** The colours for a stream: none where `NO_COLOR` is set or nobody looks. */
export function colorsFor(stream: { readonly isTTY?: boolean }): ReturnType<typeof pc.createColors> {
  const { NO_COLOR: none = "", TERM: terminal } = process.env;
  return pc.createColors(none === "" && terminal !== "dumb" && stream.isTTY === true);
}

/** Colours for standard error. */
export const paint: ReturnType<typeof pc.createColors> = colorsFor(process.stderr);

/** Writes to standard error, where progress and logs belong. */
export function progress(line: string): void {
  process.stderr.write(`${secrets.redact(line)}\n`);
}

/** Writes a line or more to standard output, where the answer belongs. */
export function answer(text: string): void {
  writeText(text.endsWith("\n") ? text : `${text}\n`);
}

/** Writes a piece of the answer as it comes. At a terminal, what would steer it is shown instead. */
export function writeText(text: string): void {
  const shown = secrets.redact(text);
  process.stdout.write(process.stdout.isTTY ? terminalText(shown) : shown);
}

/** Control characters but line feed and tab, and whatever changes the direction of text. */
const STEERING = /[\p{Bidi_Control}\u2028\u2029]|[^\P{Cc}\n\t]/gu;

/** Text of a model as a terminal may be sent it: its words and layout, nothing that moves the cursor or reorders. */
export function terminalText(text: string): string {
  return text
    .replaceAll("\r", "")
    .replaceAll(STEERING, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);
}

/** Warns on standard error; what came from outside cannot steer the terminal. */
export function warn(text: string): void {
  for (const line of visibleLines(secrets.redact(text), 2000)) progress(`${paint.yellow("!")} ${line}`);
}

/** Tells on standard error why the command ends; what came from outside cannot steer the terminal. */
export function complain(text: string): void {
  for (const line of visibleLines(secrets.redact(text), 8000)) progress(`${paint.red("basis:")} ${line}`);
}

function visibleLines(text: string, maxChars: number): readonly string[] {
  return visibleText(text.trimEnd(), { maxChars, multiline: true }).split("\n");
}

/** A count with its noun: `1 message`, `2 messages`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
