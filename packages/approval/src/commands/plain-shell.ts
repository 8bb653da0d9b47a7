import { scanWord } from "./shell-word.ts";
import type { Assignment, Redirection, SimpleCommand } from "./word.ts";

/** Shell text read whole: its simple commands in order; or why it cannot be. */
export type PlainReading = { readonly commands: readonly SimpleCommand[] } | { readonly problem: string };

/** Words that mean something of their own where a command begins. */
const RESERVED = new Set(
  "if then elif else fi do done case esac while until for in select function coproc { } ! [[ ]]".split(" "),
);
const ASSIGNMENT = /^([A-Za-z_]\w*)=/;
/** `10>x` is a descriptor for bash and a word for sh. */
const REDIRECTION = /^(\d?(?:<|>>?))(&\d+)?/;
const SEPARATOR = /^(?:&&|\|\||[;&|\n])/;

/** Read so far. */
interface Draft {
  readonly words: SimpleCommand["words"][number][];
  readonly assignments: Assignment[];
  readonly redirections: Redirection[];
}

/**
 * Reads shell text that consists of simple commands and what joins them (`;` `&` `&&` `||` `|` and line ends), made of
 * literal words and globs: the part of the language that every shell reads alike. Anything else is a problem.
 */
export function readPlainShell(source: string): PlainReading {
  const commands: SimpleCommand[] = [];
  let draft = newDraft();
  let joined: string | undefined;
  let at = 0;
  while ((at = skipBlank(source, at)) < source.length) {
    const separator = SEPARATOR.exec(source.slice(at, at + 2))?.[0];
    if (separator === undefined) {
      const next = readPart(source, at, draft);
      if (typeof next === "string") return { problem: next };
      at = next;
      continue;
    }
    if (!isEmpty(draft)) {
      commands.push(draft);
      draft = newDraft();
      joined = separator;
    } else if (separator !== "\n") return { problem: `nothing stands before ${separator}` };
    at += separator.length;
  }
  if (!isEmpty(draft)) commands.push(draft);
  else if (joined === "&&" || joined === "||" || joined === "|")
    return { problem: `nothing follows ${joined}` };
  return commands.length > 0 ? { commands } : { problem: "it holds no command" };
}

/** Adds one word, assignment or redirection to the draft; answers where it ends, or what is wrong. */
function readPart(source: string, at: number, draft: Draft): number | string {
  const redirection = REDIRECTION.exec(source.slice(at, at + 24));
  if (redirection) return readRedirection(source, at, { draft, redirection });
  if (/[<>()]/.test(source[at]!)) return `it holds ${source[at]}`;
  const scanned = scanWord(source, at);
  if (typeof scanned === "string") return scanned;
  const { word, end, bare } = scanned;
  if (end === at) return `it holds ${source[at]}`;
  const raw = source.slice(at, end);
  const name = draft.words.length === 0 ? ASSIGNMENT.exec(raw)?.[1] : undefined;
  if (name !== undefined) {
    const value = scanWord(source, at + name.length + 1);
    if (typeof value === "string") return value;
    draft.assignments.push({ name, value: value.word });
    return end;
  }
  if (draft.words.length === 0 && !isProgram(raw, bare)) return `${raw} is no plain program`;
  draft.words.push(word);
  return end;
}

function isProgram(raw: string, bare: boolean): boolean {
  return !(bare && RESERVED.has(raw)) && !/^[A-Za-z_]\w*(?:\[|\+=)/.test(raw);
}

function readRedirection(
  source: string,
  at: number,
  { draft, redirection }: { draft: Draft; redirection: RegExpExecArray },
): number | string {
  const [whole, operator = "", duplicate] = redirection;
  const after = at + whole.length;
  if (duplicate !== undefined) {
    draft.redirections.push({
      operator: `${operator}&`,
      target: { kind: "literal", text: duplicate.slice(1) },
    });
    return /^(?:$|[\s;&|<>()])/.test(source.slice(after, after + 1)) ? after : "it duplicates into a word";
  }
  const start = skipBlank(source, after);
  if (start >= source.length || /[\s;&|<>()#]/.test(source[start]!)) return `${operator} has no plain target`;
  const scanned = scanWord(source, start);
  if (typeof scanned === "string") return scanned;
  draft.redirections.push({ operator, target: scanned.word });
  return scanned.end;
}

/** Skips blanks, and a comment where one may begin. */
function skipBlank(source: string, from: number): number {
  let at = from;
  while (source[at] === " " || source[at] === "\t") at += 1;
  if (source[at] !== "#" || (at > 0 && !/[\s;&|]/.test(source[at - 1]!))) return at;
  const end = source.indexOf("\n", at);
  return end === -1 ? source.length : end;
}

function newDraft(): Draft {
  return { words: [], assignments: [], redirections: [] };
}

function isEmpty({ words, assignments, redirections }: Draft): boolean {
  return words.length + assignments.length + redirections.length === 0;
}
