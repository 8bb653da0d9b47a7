import type { JsonObject } from "@basis/core";
import { textOutcome, type Tool } from "./tool.ts";
import { walkWorkspace, type WalkEntry } from "./walk-workspace.ts";

const MAX_ENTRIES = 2000;

const inputSchema: JsonObject = {
  type: "object",
  properties: {
    path: {
      type: "string",
      description: "The directory, relative to the workspace. Default: the workspace itself.",
    },
    depth: { type: "integer", minimum: 1, maximum: 20, description: "How many levels down. Default 1." },
  },
  additionalProperties: false,
};

/** `list`: the entries of a directory, directories with a slash behind. */
export function listTool(root: string): Tool {
  return {
    name: "list",
    description: "Lists files and directories of the workspace (without .git and node_modules).",
    inputSchema,
    effect: "read",
    level: "none",
    source: "builtin",
    parallelSafe: () => true,
    async execute(input, { signal }) {
      const { path = ".", depth = 1 } = input as { path?: string; depth?: number };
      const entries: string[] = [];
      for await (const entry of walkWorkspace(root, { path, depth, signal })) {
        if (entries.length === MAX_ENTRIES) {
          entries.push(`[more than ${MAX_ENTRIES} entries; list a directory below]`);
          break;
        }
        entries.push(entryText(entry));
      }
      return textOutcome(entries.length === 0 ? "[nothing]" : entries.join("\n"));
    },
  };
}

function entryText({ shown, directory, closed }: WalkEntry): string {
  return `${shown}${directory ? "/" : ""}${closed ? " [cannot be listed]" : ""}`;
}
