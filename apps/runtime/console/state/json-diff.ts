/** A line of a value, or of the difference between two. */
export interface DiffLine {
  /** Of both, of the first alone, or of the second alone. */
  readonly side: "both" | "before" | "after";
  readonly text: string;
}

/** The lines of the second value as indented JSON, with those of the first that are other ones. */
export function diffJson(before: unknown, after: unknown): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  compare({ lines, label: "", end: "", indent: 0 }, before, after);
  return lines;
}

interface Place {
  readonly lines: DiffLine[];
  readonly label: string;
  readonly end: string;
  readonly indent: number;
}

function compare(place: Place, before: unknown, after: unknown): void {
  if (isSame(before, after)) return write(place, "both", after);
  const entries = commonEntries(before, after);
  if (entries === undefined) {
    if (before !== undefined) write(place, "before", before);
    if (after !== undefined) write(place, "after", after);
    return;
  }
  const { lines, label, end, indent } = place;
  const pad = " ".repeat(indent);
  const isList = Array.isArray(after);
  lines.push({ side: "both", text: `${pad}${label}${isList ? "[" : "{"}` });
  for (const [index, [name, was, is]] of entries.entries())
    compare(
      {
        lines,
        label: isList ? "" : `${JSON.stringify(name)}: `,
        end: index < entries.length - 1 ? "," : "",
        indent: indent + 2,
      },
      was,
      is,
    );
  lines.push({ side: "both", text: `${pad}${isList ? "]" : "}"}${end}` });
}

function write({ lines, label, end, indent }: Place, side: DiffLine["side"], value: unknown): void {
  const pad = " ".repeat(indent);
  const text = `${label}${JSON.stringify(value, null, 2) ?? "undefined"}${end}`;
  for (const line of text.split("\n")) lines.push({ side, text: `${pad}${line}` });
}

type Entry = readonly [name: string, before: unknown, after: unknown];

/** The members of two objects, or of two lists, side by side; undefined where one is neither. */
function commonEntries(before: unknown, after: unknown): readonly Entry[] | undefined {
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after))
    return undefined;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  if (!Array.isArray(after)) names.sort();
  return names.map((name) => [name, own(before, name), own(after, name)]);
}

/** Whether two values say the same; the order of an object's members says nothing. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(own(a, name), own(b, name)))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function own(value: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
