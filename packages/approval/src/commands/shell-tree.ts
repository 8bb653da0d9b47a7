import type { ShellNode } from "./bash-grammar.ts";
import { literal, unknownWord, type Assignment, type SimpleCommand, type Word } from "./word.ts";

/** Every simple command in a tree, however deep, in the order in which they begin; or why the tree says too little. */
export type TreeReading =
  | { readonly commands: readonly SimpleCommand[]; readonly redirections: number }
  | { readonly problem: string };

/** What sh and bash read alike. A node of any other type makes the reading fail. */
const SHARED_NODES = new Set(
  (
    "program list pipeline command command_name word number raw_string string string_content concatenation " +
    "simple_expansion expansion variable_name special_variable_name command_substitution redirected_statement " +
    "file_redirect file_descriptor heredoc_redirect heredoc_start heredoc_body heredoc_content heredoc_end " +
    "negated_command subshell compound_statement variable_assignment variable_assignments comment if_statement " +
    "elif_clause else_clause while_statement for_statement do_group case_statement case_item function_definition " +
    "declaration_command unset_command test_command unary_expression binary_expression test_operator"
  ).split(" "),
);
const SHARED_TOKENS = new Set(
  (
    "&& || | ; ;; & ( ) { } < > >> >& <& >| <> << <<- if then elif else fi while until do done for in case esac ! [ ] " +
    '$( ` " $ ${ = - + :- - := :+ :? ? # ## % %% export readonly local unset != == -a -o'
  ).split(" "),
);

/** Collects the commands of a tree. */
export function readShellTree(root: ShellNode, source: string): TreeReading {
  if (root.hasError) return { problem: "the shell grammar finds an error in it" };
  const walk: Walk = { source, commands: [], redirections: 0, nodes: 0 };
  const problem = visit(root, walk);
  return problem === undefined ? walk : { problem };
}

interface Walk {
  readonly source: string;
  readonly commands: SimpleCommand[];
  redirections: number;
  nodes: number;
}

/** Nodes of a tree that are looked at. */
const MAX_NODES = 4000;

/** Programs with forms of their own in the grammar: the name, or null where it is the first word. */
const OWN_FORMS = new Map<string, string | null>([
  ["test_command", "["],
  ["declaration_command", null],
  ["unset_command", null],
]);

/** Adds what a node holds; answers what is wrong with it. */
function visit(node: ShellNode, walk: Walk): string | undefined {
  walk.nodes += 1;
  if (walk.nodes > MAX_NODES) return "it has more parts than are looked at";
  const foreign = foreignTo(node, walk.source);
  if (foreign !== undefined) return foreign;
  if (node.type === "command" || OWN_FORMS.has(node.type))
    walk.commands.push(simpleCommand(node, walk.source));
  else if (node.type === "file_redirect") walk.redirections += 1;
  for (const child of node.children) {
    const problem = child === null ? undefined : visit(child, walk);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Why sh may read a node in another way than the grammar does. */
function foreignTo(node: ShellNode, source: string): string | undefined {
  const known = node.isNamed ? SHARED_NODES : SHARED_TOKENS;
  if (!known.has(node.type) && !/^\s+$/.test(node.type)) {
    return `sh and bash may differ on ${node.type.replaceAll("_", " ")}`;
  }
  if (node.type !== "expansion" || isSharedExpansion(node, source)) return undefined;
  return "it holds an expansion that only bash knows";
}

/** `${x}`, `${#x}`, `${x:-word}` and their like; not `${x@P}`, `${!x}`, `${x/a/b}`. */
function isSharedExpansion(node: ShellNode, source: string): boolean {
  return /^\$\{(?:#?\w+\}|[A-Za-z_]\w*(?::?[-=?+]|##?|%%?))/.test(
    source.slice(node.startIndex, node.endIndex),
  );
}

function simpleCommand(node: ShellNode, source: string): SimpleCommand {
  const words: Word[] = [];
  const assignments: Assignment[] = [];
  const form = OWN_FORMS.get(node.type);
  if (form !== undefined) {
    const program = form ?? source.slice(node.startIndex, node.endIndex).split(/\s/, 1)[0]!;
    return { words: [literal(program), unknownWord], assignments, redirections: [] };
  }
  for (const child of node.children) {
    if (child === null) continue;
    if (child.type === "variable_assignment") assignments.push(assignmentOf(child, source));
    else if (child.type === "command_name" && child.children[0])
      words.push(wordOf(child.children[0], source));
    else if (!child.type.endsWith("_redirect")) words.push(wordOf(child, source));
  }
  return { words, assignments, redirections: [] };
}

function assignmentOf(node: ShellNode, source: string): Assignment {
  const raw = source.slice(node.startIndex, node.endIndex);
  const name = raw.slice(0, Math.max(0, raw.indexOf("=")));
  const value = node.children.at(-1);
  return { name, value: value && value.type !== "=" ? wordOf(value, source) : literal("") };
}

/** The word a node stands for, as far as it is literal. */
function wordOf(node: ShellNode, source: string): Word {
  const text = literalText(node, source);
  return text === undefined ? unknownWord : literal(text);
}

function literalText(node: ShellNode, source: string): string | undefined {
  const raw = source.slice(node.startIndex, node.endIndex);
  switch (node.type) {
    case "word":
    case "number":
      return isOpen(raw) ? undefined : raw.replace(/\\(.)/gs, "$1");
    case "raw_string":
      return raw.slice(1, -1);
    case "string":
      return node.children.some((child) => child?.isNamed && child.type !== "string_content")
        ? undefined
        : raw.slice(1, -1).replace(/\\(["\\$`])/g, "$1");
    case "concatenation": {
      if (raw === "{}") return raw;
      const pieces = node.children.map((child) => (child === null ? "" : pieceText(child, source)));
      return pieces.includes(undefined) ? undefined : pieces.join("");
    }
    default:
      return node.isNamed || raw === "[" ? undefined : raw;
  }
}

/** Inside a word, a bracket is no program. */
function pieceText(node: ShellNode, source: string): string | undefined {
  return source[node.startIndex] === "[" ? undefined : literalText(node, source);
}

/** Globs, home directories and braces, which bash expands. */
function isOpen(raw: string): boolean {
  if (raw === "[" || raw === "{}") return false;
  return /(?<!\\)[*?[{}]|^~|[=:]~/.test(raw);
}
