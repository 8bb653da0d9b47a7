import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { contextFilePaths } from "../config/context-files.ts";
import { grantsPath } from "../config/grants-file.ts";
import { TOOLS_FILE } from "../declared/tools-file.ts";
import { MCP_FILE } from "../mcp/mcp-file.ts";
import { AGENTS_FOLDER } from "./workspace-agents.ts";
import { SKILLS_FOLDER } from "./workspace-skills.ts";
import type { WorkspaceOptions } from "./workspace.ts";

/** How each file of a workspace stood when it was looked at, by its path. A file that is not there has no entry. */
export type FileStates = ReadonlyMap<string, string>;

/** Folders are walked no deeper. */
const MAX_DEPTH = 6;

/**
 * Looks at every file that decides what a workspace is, and reads none: its AGENTS.md chain, hooks, servers, tools, agents and
 * skills, the operator's own, and the record of trust.
 */
export function lookAtFiles(
  root: string,
  { configDir, trustFile }: Pick<WorkspaceOptions, "configDir" | "trustFile">,
): FileStates {
  const states = new Map<string, string>();
  const files = [
    ...contextFilePaths(root, configDir),
    join(configDir, "hooks.json"),
    join(root, ".basis/hooks.json"),
    join(root, MCP_FILE),
    join(root, TOOLS_FILE),
    ...recordsOfTrust(root, { trustFile }),
  ];
  for (const path of files) look(path, states);
  for (const folder of [join(root, AGENTS_FOLDER), join(root, SKILLS_FOLDER), join(configDir, "skills")])
    walk(folder, states, 0);
  return states;
}

/** Where it is kept what was trusted. */
export function recordsOfTrust(
  root: string,
  { trustFile }: Pick<WorkspaceOptions, "trustFile">,
): readonly string[] {
  return trustFile === undefined ? [] : [trustFile, grantsPath({ trustFile, workspace: root })];
}

/** The paths at which two looks differ. */
export function changedFiles(before: FileStates, after: FileStates): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path));
}

function look(path: string, states: Map<string, string>): boolean {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return false;
    const { mtimeNs, ctimeNs, size, ino, mode } = found;
    states.set(path, `${mtimeNs} ${ctimeNs} ${size} ${ino} ${mode}`);
    return true;
  } catch (error) {
    // One that is there and cannot be looked at is read, and then told.
    states.set(path, String((error as NodeJS.ErrnoException).code));
    return false;
  }
}

function walk(folder: string, states: Map<string, string>, depth: number): void {
  if (!look(folder, states) || depth > MAX_DEPTH) return;
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return; // its own state is there
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walk(path, states, depth + 1);
    else look(path, states);
  }
}
