/** One `key: value` of a skill's front matter: a text, or for `metadata` a map of texts. */
export interface SkillEntry {
  readonly key: string;
  readonly line: number;
  readonly value: string | ReadonlyMap<string, string>;
}

/** What is wrong with a line, counted from 1. */
export interface LineProblem {
  readonly line: number;
  readonly problem: string;
}

/** A SKILL.md taken apart. */
export interface SkillParts {
  readonly entries: readonly SkillEntry[];
  readonly problems: readonly LineProblem[];
  /** What follows the front matter. */
  readonly body: string;
}

const FENCE = /^---\s*$/;
const ENTRY = /^([A-Za-z][\w-]*):(?:\s+(.*?))?\s*$/;
const INNER = /^\s+([\w.-]+):\s+(.+?)\s*$/;
/** Control and invisible characters, and blanks other than space and tab. */
const STRANGE = /(?![\t ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
/** What YAML gives another meaning at the beginning of a plain text. */
const SPECIAL = /^[&*!%@`{}[\]#"']|^[-?:,|>](?:\s|$)/;

/**
 * Takes a file apart whose front matter is the part of YAML that skills use: `key: text` in one or more lines, in
 * quotes, or as a block (`>`, `|`), and one map of texts. What is read is what YAML reads; anything else is a problem.
 */
export function readSkillFrontMatter(text: string): SkillParts {
  const lines = text.replace(/^\uFEFF/, "").split(/\r?\n/);
  const end = lines.findIndex((line, at) => at > 0 && FENCE.test(line));
  if (!FENCE.test(lines[0]!)) return broken("a front matter is missing: begin the file with a line ---");
  if (end === -1) return broken("the front matter does not end: close it with a line ---");
  const reading = new Reading(lines.slice(0, end));
  reading.readAll();
  return {
    ...reading.result(),
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  };
}

function broken(problem: string): SkillParts {
  return { entries: [], problems: [{ line: 1, problem }], body: "" };
}

class Reading {
  readonly #lines: readonly string[];
  readonly #entries: SkillEntry[] = [];
  readonly #problems: LineProblem[] = [];
  #at = 1;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  result(): Pick<SkillParts, "entries" | "problems"> {
    return { entries: this.#entries, problems: this.#problems };
  }

  readAll(): void {
    for (const [at, line] of this.#lines.entries()) {
      const strange = STRANGE.exec(line)?.[0];
      if (strange === undefined) continue;
      const code = strange.codePointAt(0)!.toString(16);
      this.#problems.push({ line: at + 1, problem: `holds an invisible character, \\u{${code}}` });
    }
    if (this.#problems.length > 0) return;
    while (this.#at < this.#lines.length) this.#readEntry();
  }

  #readEntry(): void {
    const raw = this.#lines[this.#at]!;
    const line = this.#at + 1;
    this.#at += 1;
    if (/^\s*(?:#.*)?$/.test(raw)) return;
    const entry = ENTRY.exec(raw);
    if (entry === null) return this.#report(line, "is no `key: value`");
    const key = entry[1]!;
    if (this.#entries.some((known) => known.key === key))
      return this.#report(line, `'${key}' is there twice`);
    const below = this.#takeBelow();
    const value = this.#value(entry[2] ?? "", below, { key, line });
    if (value !== undefined) this.#entries.push({ key, line, value });
  }

  /** The lines that are set in below an entry. */
  #takeBelow(): readonly string[] {
    const from = this.#at;
    while (this.#at < this.#lines.length && /^(?:\s+\S|\s*$)/.test(this.#lines[this.#at]!)) this.#at += 1;
    const below = this.#lines.slice(from, this.#at);
    while (below.at(-1)?.trim() === "") below.pop();
    return below;
  }

  #value(
    source: string,
    below: readonly string[],
    { key, line }: { readonly key: string; readonly line: number },
  ): SkillEntry["value"] | undefined {
    const block = /^([>|])[-+]?$/.exec(source)?.[1];
    if (block !== undefined) return blockText(below, block === ">");
    if (source === "" && below.length > 0 && INNER.test(below[0]!)) return this.#map(below, line);
    const plain = [source, ...below.map((each) => each.trim())].filter((each) => each !== "").join(" ");
    const text = readText(plain);
    if (typeof text === "string") return text;
    this.#report(line, `'${key}' ${text.problem}`);
    return undefined;
  }

  #map(below: readonly string[], line: number): ReadonlyMap<string, string> {
    const map = new Map<string, string>();
    for (const [at, raw] of below.entries()) {
      const inner = INNER.exec(raw);
      const text = inner === null ? { problem: "is no `key: text` of a map" } : readText(inner[2]!);
      if (typeof text !== "string") this.#report(line + at + 1, text.problem);
      else map.set(inner![1]!, text);
    }
    return map;
  }

  #report(line: number, problem: string): void {
    this.#problems.push({ line, problem });
  }
}

/** A block's text: its lines without the indentation of the first; folded, lines are joined and an empty one ends a paragraph. */
function blockText(lines: readonly string[], folded: boolean): string {
  const indent = /^\s*/.exec(lines[0] ?? "")![0].length;
  const texts = lines.map((line) => line.slice(Math.min(indent, line.length - line.trimStart().length)));
  if (!folded) return texts.join("\n");
  return texts
    .join("\n")
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.replaceAll("\n", " "))
    .join("\n");
}

function readText(source: string): string | { readonly problem: string } {
  if (source === "") return { problem: "has no value" };
  if (source.startsWith('"')) return readDouble(source);
  if (source.startsWith("'")) {
    const inner = /^'((?:[^']|'')*)'$/.exec(source)?.[1];
    return inner === undefined ? { problem: "has a quote that does not end" } : inner.replaceAll("''", "'");
  }
  if (SPECIAL.test(source)) return { problem: `begins with ${source[0]}: put the text in quotes` };
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
