import type { JsonObject } from "@basis/core";
import { readConfined } from "./confined-file.ts";
import { textOutcome, type Tool } from "./tool.ts";
import { walkWorkspace } from "./walk-workspace.ts";

const MAX_MATCHES = 200;
const MAX_LINE = 300;
const MAX_BYTES = 1024 * 1024;

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
      const matches: string[] = [];
      for await (const entry of walkWorkspace(root, { path: wanted.path ?? ".", depth: 20, signal })) {
        if (entry.directory || !entry.shown.endsWith(wanted.ending ?? "")) continue;
        const bytes = await readConfined(root, entry.shown).catch(() => undefined);
        if (bytes === undefined || bytes.length > MAX_BYTES || bytes.includes(0)) continue;
        matches.push(...matchLines(entry.shown, bytes.toString("utf8"), wanted));
        if (matches.length >= MAX_MATCHES) break;
      }
      if (matches.length === 0) return textOutcome("no match");
      const cut =
        matches.length >= MAX_MATCHES ? [`[cut at ${MAX_MATCHES} matches; search a directory below]`] : [];
      return textOutcome([...matches.slice(0, MAX_MATCHES), ...cut].join("\n"));
    },
  };
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
