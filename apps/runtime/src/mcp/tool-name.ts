import { sha256 } from "@basis/core";

/** What begins the name of every server's tool, and of no other. */
export const MCP_PREFIX = "mcp__";

/** The longest name that every provider takes. */
const MAX_NAME = 64;

/**
 * `mcp__SERVER__TOOL` as providers take it: letters, digits, `_` and `-`. Other characters become `_`; a name that is
 * too long ends in a digest of the whole.
 */
export function mcpToolName(server: string, tool: string): string {
  const name = `${MCP_PREFIX}${server}__${tool.replace(/[^A-Za-z0-9_-]/g, "_")}`;
  if (name.length <= MAX_NAME) return name;
  const mark = `_${sha256(tool).slice(0, 8)}`;
  return name.slice(0, MAX_NAME - mark.length) + mark;
}
