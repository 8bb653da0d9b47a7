/** Longest text of a row. */
const MAX_CHARS = 160;

/** The beginning of a text, on one line. */
export function beginning(text: string): string {
  const line = copyOf(text.slice(0, MAX_CHARS * 2))
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS - 1)}…` : line;
}

/** The same text by itself: a part of another one keeps the whole of that in memory. */
function copyOf(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

/** The beginning of an input: the value alone where there is one, else its fields. */
export function inputInWords(input: unknown): string {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return beginning(inWords(input));
  const entries = Object.entries(input).slice(0, 8);
  if (entries.length === 1) return beginning(inWords(entries[0]![1]));
  return beginning(entries.map(([name, value]) => `${name}=${inWords(value)}`).join("  "));
}

function inWords(value: unknown): string {
  if (typeof value === "string") return value.slice(0, MAX_CHARS * 2);
  if (Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === "string"))
    return value.slice(0, 32).join(" ");
  return (JSON.stringify(value) ?? "").slice(0, MAX_CHARS * 2);
}
