import type { Skill } from "../skills/load-skills.ts";
import { SKILL_TOOL, skillTool } from "../skills/skill-tool.ts";
import { readTool, writeTool } from "../tools/file-tools.ts";
import { listTool } from "../tools/list-tool.ts";
import { runTool, type CommandSetting } from "../tools/run-tool.ts";
import { searchTool } from "../tools/search-tool.ts";
import type { Tool } from "../tools/tool.ts";
import type { AskedTools } from "./workspace-tools.ts";

/** What decides which tools there are. */
export interface ToolParts {
  readonly commands: CommandSetting | undefined;
  readonly declared: readonly Tool[];
  readonly trusted: ReadonlySet<string>;
  readonly skills: readonly Skill[];
}

/** Every tool but those of servers, which come and go, and `spawn`, which belongs to an agent. */
export function workspaceTools(root: string, parts: ToolParts): ReadonlyMap<string, Tool> {
  const { commands, declared, trusted, skills } = parts;
  const optional = [
    ...(commands ? [runTool(commands)] : []),
    ...(skills.length > 0 ? [skillTool(skills)] : []),
  ];
  const tools = [...builtinTools(root, trusted), ...optional, ...declared];
  return new Map(tools.map((tool) => [tool.name, tool]));
}

/** The names that a hook may guard, whether or not they are offered. */
export function knownToolNames(root: string, { declared }: AskedTools): readonly string[] {
  const own = builtinTools(root).map(({ name }) => name);
  return [...own, "run", "spawn", SKILL_TOOL, ...declared.map(({ settings }) => settings.name)];
}

function builtinTools(root: string, trusted?: ReadonlySet<string>): readonly Tool[] {
  return [readTool(root), listTool(root), searchTool(root), writeTool(root, trusted)];
}
