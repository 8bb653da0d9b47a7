/** What is wrong with a line of an agent file; lines are counted from 1. */
export interface LineProblem {
  readonly line: number;
  readonly problem: string;
}

/** One `key: value` of a front matter: a text, or a list of texts. */
export interface FrontMatterEntry {
  readonly key: string;
  readonly line: number;
  readonly value: string | readonly string[];
}

/** A file taken apart. */
export interface FrontMatter {
  readonly entries: readonly FrontMatterEntry[];
  readonly problems: readonly LineProblem[];
  /** What follows the front matter, without blank lines around it. */
  readonly body: string;
}

const FENCE = /^---\s*$/;
const ENTRY = /^([A-Za-z][\w-]*):(?:\s+(.*?))?\s*$/;
const ITEM = /^(\s*)-\s+(.*?)\s*$/;
/** Control and invisible characters, and blanks other than space and tab: people and YAML take them for something else. */
const STRANGE = /(?![\t ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
/** What YAML gives another meaning at the beginning of a plain text. */
const SPECIAL = /^[&*!|>%@`{}[\]"'#?-](?:\s|$)|^[&*!|>%@`{}[\]"'#]/;

/**
 * Takes a file apart whose front matter is a strict part of YAML: `key: text`, `key: "text"`, `key: 'text'`,
 * `key: [a, b]`, and `key:` with a `- item` a line below. Texts stand on one line.
 * What is read is what YAML reads, but that a plain word (`true`, `7`) is a text.
 */
export function readFrontMatter(text: string): FrontMatter {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  if (!FENCE.test(lines[0] ?? ""))
    return broken(1, "a front matter is missing: begin the file with a line ---");
  const end = lines.findIndex((line, at) => at > 0 && FENCE.test(line));
  if (end === -1) return broken(1, "the front matter does not end: close it with a line ---");
  const collected: Collected = { entries: [], problems: [], open: undefined };
  for (let at = 1; at < end; at += 1) readLine(lines[at]!, at + 1, collected);
  const { entries, problems } = collected;
  const empty = entries.filter(({ value }) => value.length === 0 && typeof value !== "string");
  for (const { key, line } of empty) problems.push({ line, problem: `'${key}' has no value` });
  return {
    entries,
    problems,
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  };
}

interface Collected {
  readonly entries: FrontMatterEntry[];
  readonly problems: LineProblem[];
  /** The list that items are added to. */
  open: OpenList | undefined;
}

interface OpenList {
  readonly items: string[];
  /** The blanks before each of its items, once there is one. */
  indent?: string;
}

function readLine(raw: string, line: number, collected: Collected): void {
  const strange = STRANGE.exec(raw)?.[0];
  if (strange !== undefined) {
    const code = strange.codePointAt(0)!.toString(16);
    collected.problems.push({ line, problem: `holds an invisible character, \\u{${code}}` });
    return;
  }
  if (/^\s*(?:#.*)?$/.test(raw)) return;
  const item = ITEM.exec(raw);
  if (item !== null && collected.open !== undefined) {
    addItem(item[1]!, item[2]!, { line, list: collected.open, problems: collected.problems });
    return;
  }
  collected.open = undefined;
  const entry = ENTRY.exec(raw);
  if (entry === null) {
    collected.problems.push({ line, problem: "is neither `key: value` nor an item of a list" });
    return;
  }
  addEntry({ key: entry[1]!, line, source: entry[2] ?? "" }, collected);
}

function addItem(
  indent: string,
  source: string,
  {
    line,
    list,
    problems,
  }: { readonly line: number; readonly list: OpenList; readonly problems: LineProblem[] },
): void {
  const value = readText(source);
  if (indent !== (list.indent ??= indent)) {
    problems.push({ line, problem: "is indented otherwise than the item above it" });
  } else if (typeof value === "string") list.items.push(value);
  else problems.push({ line, problem: value.problem });
}

function addEntry(
  { key, line, source }: { readonly key: string; readonly line: number; readonly source: string },
  collected: Collected,
): void {
  if (collected.entries.some((entry) => entry.key === key)) {
    collected.problems.push({ line, problem: `'${key}' is there twice` });
    return;
  }
  if (source === "") {
    const items: string[] = [];
    collected.open = { items };
    collected.entries.push({ key, line, value: items });
    return;
  }
  const value = source.startsWith("[") ? readList(source) : readText(source);
  if (typeof value === "object" && "problem" in value)
    collected.problems.push({ line, problem: `'${key}' ${value.problem}` });
  else collected.entries.push({ key, line, value });
}

function readList(source: string): readonly string[] | { readonly problem: string } {
  const inner = /^\[(.*)\]$/.exec(source)?.[1];
  if (inner === undefined) return { problem: "is a list that does not end on its line" };
  if (inner.trim() === "") return { problem: "is an empty list: leave the key out, or name something" };
  if (/[[\]{}]/.test(inner)) return { problem: "is a list within a list" };
  const items = inner.split(",").map((item) => readText(item.trim()));
  return items.find((item) => typeof item !== "string") ?? (items as string[]);
}

function readText(source: string): string | { readonly problem: string } {
  if (source.startsWith('"')) return readDouble(source);
  if (source.startsWith("'")) {
    const inner = /^'((?:[^']|'')*)'$/.exec(source)?.[1];
    return inner === undefined
      ? { problem: "has a quote that does not end on its line" }
      : inner.replaceAll("''", "'");
  }
  if (source === "" || SPECIAL.test(source)) {
    return { problem: `begins with ${source === "" ? "nothing" : source[0]}: put the text in quotes` };
  }
  if (/\s#|:\s|:$/.test(source)) return { problem: "holds ` #` or `: `: put the text in quotes" };
  return source;
}

function readDouble(source: string): string | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(source);
    if (typeof value === "string") return value;
  } catch {
    // said below
  }
  return { problem: "is no text in double quotes as JSON writes it" };
}

function broken(line: number, problem: string): FrontMatter {
  return { entries: [], problems: [{ line, problem }], body: "" };
}
