import type { ShellParser } from "./bash-grammar.ts";
import { readPlainShell } from "./plain-shell.ts";
import { readShellTree } from "./shell-tree.ts";
import type { SimpleCommand, Word } from "./word.ts";

/** What is known of a shell text. */
export interface ShellReading {
  readonly source: string;
  /** Its simple commands. Only when `total` are they all there is. */
  readonly commands: readonly SimpleCommand[];
  /** Both readers read every character, and alike. */
  readonly total: boolean;
  /** Why it is not total. */
  readonly reason?: string | undefined;
  /** It cannot be read at all, or sh and bash may read it differently: anything may be in it. */
  readonly failed: boolean;
}

/** Characters of a command that is still read. */
const MAX_LENGTH = 16_384;
/** Control characters but tab and line feed, invisible ones, blanks other than the space, halves of pairs. */
const STRANGE = /(?![\t\n ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/** Reads a shell text by the bash grammar, and by a reader of its own for what every shell reads alike. */
export function readShellText(source: string, parse: ShellParser): ShellReading {
  const unreadable = problemOfText(source);
  if (unreadable !== undefined) return failure(source, unreadable);
  const tree = parse(source, (root) => readShellTree(root, source));
  if ("problem" in tree) return failure(source, tree.problem);
  const plain = readPlainShell(source);
  if ("problem" in plain) {
    return { source, commands: tree.commands, total: false, reason: plain.problem, failed: false };
  }
  if (!agree(plain.commands, tree)) return failure(source, "two readings of it differ");
  return { source, commands: plain.commands, total: true, failed: false };
}

function problemOfText(source: string): string | undefined {
  if (source.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  if (STRANGE.test(source)) return "it holds invisible or control characters";
  return source.includes("\\\n") ? "it continues a line with a backslash" : undefined;
}

function failure(source: string, reason: string): ShellReading {
  return { source, commands: [], total: false, reason, failed: true };
}

function agree(
  plain: readonly SimpleCommand[],
  tree: { readonly commands: readonly SimpleCommand[]; readonly redirections: number },
): boolean {
  const redirections = plain.reduce((sum, command) => sum + command.redirections.length, 0);
  const started = plain.filter((command) => command.words.length > 0);
  return (
    redirections === tree.redirections &&
    started.length === tree.commands.length &&
    started.every((command, at) => sameWords(command.words, tree.commands[at]!.words))
  );
}

/** Programs for whose words the grammar has forms of its own. */
const OWN_FORMS = new Set(["[", "export", "readonly", "local", "unset"]);

function sameWords(plain: readonly Word[], tree: readonly Word[]): boolean {
  const [program] = plain;
  if (program && OWN_FORMS.has(program.text)) return tree[0]?.text === program.text;
  return (
    plain.length === tree.length &&
    plain.every((word, at) => {
      const other = tree[at]!;
      return word.kind === "literal"
        ? other.kind === "literal" && other.text === word.text
        : other.kind !== "literal";
    })
  );
}
