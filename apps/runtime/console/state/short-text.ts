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

interface Said {
  readonly text: string;
  readonly images?:
    | readonly { readonly media_type: string; readonly name?: string | undefined }[]
    | undefined;
}

/** What a message says, with a word for each of its images: no event has their bytes. */
export function saidIn({ text, images = [] }: Said): string {
  return [text, ...images.map(({ name, media_type: type }) => `[${name ?? type}]`)]
    .filter(Boolean)
    .join("\n");
}

/** What came of a call, likewise. */
export function resultOf({ output, images }: Pick<Said, "images"> & { readonly output: unknown }): unknown {
  if (images === undefined) return output;
  return saidIn({ text: typeof output === "string" ? output : JSON.stringify(output, null, 2), images });
}
