import type { JsonObject } from "@basis/core";
import { FileTooBig, readConfined } from "./confined-file.ts";
import { textOutcome, type Tool } from "./tool.ts";
import { walkWorkspace } from "./walk-workspace.ts";

const MAX_MATCHES = 200;
const MAX_LINE = 300;
const MAX_BYTES = 1024 * 1024;
const MAX_UNREAD = 10;

const inputSchema: JsonObject = {
  type: "object",
  properties: {
    text: {
      type: "string",
      minLength: 1,
      description: "The text to find, literally (no regular expression).",
    },
    path: {
      type: "string",
      description: "The directory to search, relative to the workspace. Default: all of it.",
    },
    ending: { type: "string", description: "Only files whose name ends so, for example .ts" },
    ignoreCase: { type: "boolean", description: "Default false." },
  },
  required: ["text"],
  additionalProperties: false,
};

interface SearchInput {
  readonly text: string;
  readonly path?: string;
  readonly ending?: string;
  readonly ignoreCase?: boolean;
}

/** `search`: literal text in the workspace's text files, one `path:line: text` a match. */
export function searchTool(root: string): Tool {
  return {
    name: "search",
    description: "Finds a literal text in the workspace's files and answers path:line: text for each match.",
    inputSchema,
    effect: "read",
    level: "none",
    source: "builtin",
    parallelSafe: () => true,
    async execute(input, { signal }) {
      const wanted = input as unknown as SearchInput;
      const found: string[] = [];
      const unread: string[] = [];
      for await (const entry of walkWorkspace(root, { path: wanted.path ?? ".", depth: 20, signal })) {
        if (entry.closed) unread.push(`'${entry.shown}' cannot be listed`);
        if (entry.directory || !entry.shown.endsWith(wanted.ending ?? "")) continue;
        const content = await readText(root, entry.shown, (problem) => void unread.push(problem));
        for (const line of matchLines(entry.shown, content, wanted)) found.push(line);
        if (found.length >= MAX_MATCHES) break;
      }
      return textOutcome([...matchesText(found), ...unreadText(unread)].join("\n"));
    },
  };
}

function matchesText(found: readonly string[]): readonly string[] {
  if (found.length === 0) return ["no match"];
  if (found.length < MAX_MATCHES) return found;
  return [...found.slice(0, MAX_MATCHES), `[cut at ${MAX_MATCHES} matches; search a directory below]`];
}
function unreadText(unread: readonly string[]): readonly string[] {
  const more = unread.length > MAX_UNREAD ? [`[${unread.length - MAX_UNREAD} more were not searched]`] : [];
  return [...unread.slice(0, MAX_UNREAD).map((problem) => `[not searched: ${problem}]`), ...more];
}

/** A text file's content; empty for what is none. A file too big to be searched is told. */
async function readText(root: string, path: string, tell: (problem: string) => void): Promise<string> {
  try {
    const bytes = await readConfined(root, path, MAX_BYTES);
    return bytes.includes(0) ? "" : bytes.toString("utf8");
  } catch (error) {
    if (error instanceof FileTooBig) tell(error.message);
    return "";
  }
}

function matchLines(shown: string, content: string, { text, ignoreCase = false }: SearchInput): string[] {
  const needle = ignoreCase ? text.toLowerCase() : text;
  if (!(ignoreCase ? content.toLowerCase() : content).includes(needle)) return [];
  return content
    .split("\n")
    .flatMap((line, index) =>
      (ignoreCase ? line.toLowerCase() : line).includes(needle)
        ? [`${shown}:${index + 1}: ${line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line}`]
        : [],
    );
}
