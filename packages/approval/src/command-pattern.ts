import { isJsonObject } from "@basis/core";

/**
 * Commands by the words they begin with. An allow is judged part by part over the parsed command
 * (`@basis/approval/commands`): each program the command would start has to be named by some rule.
 */
export interface CommandPattern {
  /** The program and the words after it, each exactly as the program gets it. There are no wildcards. */
  readonly words: readonly string[];
  /** What may follow in an allow: `none` (default), or `any` words but those that make the program run something else. */
  readonly rest?: "any" | "none" | undefined;
  /** Assignments an allow puts up with: `NAME=value`, `*` and `?` in the value. */
  readonly assign?: readonly string[] | undefined;
  /** Redirections an allow puts up with: `2>&1`, `>build/*`. */
  readonly redirect?: readonly string[] | undefined;
  /** The directory the command is started in. Absent: any. */
  readonly cwd?: string | undefined;
  /** The registered target it runs on. An allow without one is for `local`, a denial for all. */
  readonly target?: string | undefined;
}

/** What programs are told apart by where more rather than less must match: no folders, no case, no look-alikes, no `.exe`. */
export function programKey(program: string): string {
  const folded = wordKey(program);
  return folded
    .slice(Math.max(folded.lastIndexOf("/"), folded.lastIndexOf("\\")) + 1)
    .replace(/\.(?:exe|com|cmd|bat)$/, "");
}

/** What words are told apart by where more rather than less must match: no case, no look-alikes. */
export function wordKey(word: string): string {
  return word.normalize("NFKC").toLowerCase();
}

type FieldProblem = readonly [field: string, text: string];

const at = "pattern.command";

/** What is wrong with a command pattern, by field; undefined when nothing is. */
export function commandPatternProblem(pattern: unknown, effect: "allow" | "deny"): FieldProblem | undefined {
  if (!isJsonObject(pattern)) return [at, "is not an object"];
  const { words, rest, assign, redirect, ...others } = pattern as Readonly<Record<string, unknown>>;
  if (!isTexts(words) || words.length === 0) return [`${at}.words`, "is not a list of words"];
  if (/^\s*$|[\s"'`$;&|<>()]/.test(words[0]!)) {
    return [`${at}.words`, "begins with what can be no program: write each word apart"];
  }
  if (effect !== "allow" && (rest ?? assign ?? redirect) !== undefined) {
    return [
      at,
      "is a denial, which covers whatever else the command has: leave rest, assign and redirect out",
    ];
  }
  return (
    toleranceProblem({ rest, assign, redirect }) ?? otherProblem(others) ?? placeProblem(pattern, effect)
  );
}

function toleranceProblem({ rest, ...lists }: Readonly<Record<string, unknown>>): FieldProblem | undefined {
  if (rest !== undefined && rest !== "any" && rest !== "none")
    return [`${at}.rest`, "is neither any nor none"];
  for (const [name, list] of Object.entries(lists)) {
    if (list !== undefined && !isTexts(list)) return [`${at}.${name}`, "is not a list of texts"];
  }
  return undefined;
}

function otherProblem(others: Readonly<Record<string, unknown>>): FieldProblem | undefined {
  for (const [name, value] of Object.entries(others)) {
    if (name !== "cwd" && name !== "target") return [`${at}.${name}`, "is no part of a command pattern"];
    if (value !== undefined && typeof value !== "string") return [`${at}.${name}`, "is not a text"];
  }
  return undefined;
}

/** `./build.sh` is another program in every directory. */
function placeProblem(
  { words, cwd }: Readonly<Record<string, unknown>>,
  effect: string,
): FieldProblem | undefined {
  if (effect !== "allow" || cwd !== undefined || !isRelativeProgram((words as readonly string[])[0]!))
    return undefined;
  return [`${at}.cwd`, "is missing: a program with a relative path is another one in every directory"];
}

/** True for a program that is found from the directory it is started in. */
export function isRelativeProgram(program: string): boolean {
  return program.includes("/") && !program.startsWith("/");
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}
