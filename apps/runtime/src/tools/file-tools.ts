import type { JsonObject } from "@basis/core";
import { readConfined, writeConfined } from "./confined-file.ts";
import { textOutcome, ToolFailure, type Tool } from "./tool.ts";

const readSchema: JsonObject = {
  type: "object",
  properties: {
    path: { type: "string", description: "The file, relative to the workspace." },
    from: { type: "integer", minimum: 1, description: "The first line, counted from 1. Default 1." },
    lines: { type: "integer", minimum: 1, maximum: 5000, description: "How many lines. Default 2000." },
  },
  required: ["path"],
  additionalProperties: false,
};

/** `read`: lines of a text file. */
export function readTool(root: string): Tool {
  return {
    name: "read",
    description: "Reads a text file of the workspace, whole or by lines.",
    inputSchema: readSchema,
    effect: "read",
    level: "none",
    source: "builtin",
    parallelSafe: () => true,
    async execute(input, { signal }) {
      const { path, from = 1, lines = 2000 } = input as { path: string; from?: number; lines?: number };
      signal.throwIfAborted();
      const bytes = await readConfined(root, path);
      if (bytes.includes(0)) throw new ToolFailure(`'${path}' is not a text file (${bytes.length} bytes)`);
      const all = bytes.toString("utf8").split("\n");
      const shown = all.slice(from - 1, from - 1 + lines);
      if (shown.length === 0)
        throw new ToolFailure(`'${path}' has ${all.length} lines; line ${from} is beyond them`);
      const rest = all.length - (from - 1 + shown.length);
      return textOutcome(
        shown.join("\n") + (rest > 0 ? `\n[${rest} more lines; read from ${from + shown.length}]` : ""),
      );
    },
  };
}

const writeSchema: JsonObject = {
  type: "object",
  properties: {
    path: {
      type: "string",
      description: "The file, relative to the workspace; missing directories are made.",
    },
    content: { type: "string", description: "The whole new content." },
  },
  required: ["path", "content"],
  additionalProperties: false,
};

/** `write`: a whole file, new or replaced. */
export function writeTool(root: string, trusted?: ReadonlySet<string>): Tool {
  return {
    name: "write",
    description: "Writes a whole text file of the workspace, replacing what was there.",
    inputSchema: writeSchema,
    effect: "write",
    level: "local_state",
    source: "builtin",
    parallelSafe: () => false,
    async execute(input, { signal }) {
      const { path, content } = input as { path: string; content: string };
      const shown = await writeConfined(root, { path, content, signal, trusted });
      return textOutcome(`wrote ${Buffer.byteLength(content)} bytes to ${shown}`);
    },
  };
}
