import { constants } from "node:fs";
import { lstat, open, readdir, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { sha256, type ModelInfo } from "@basis/core";
import { agentFilesError, readAgent, type AgentFile, type AgentFileProblem } from "./agent-file.ts";

/** How a folder of agent files is read. */
export interface LoadAgentsOptions {
  /** What a `model` that is no `provider/id` stands for. */
  readonly models?: ((name: string) => ModelInfo | undefined) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A file that says who children are: to be guarded and pinned like a hook. */
export interface GuardFile {
  readonly path: string;
  /** SHA-256 of its bytes, in hexadecimal. */
  readonly sha256: string;
}

/** The agents of a folder. */
export interface LoadedAgents {
  /** By name, sorted. */
  readonly agents: readonly AgentFile[];
  /** Every file that was read. They grant tools and choose models: nothing an agent runs may write them. */
  readonly guardFiles: readonly GuardFile[];
}

const MAX_BYTES = 256 * 1024;
const MAX_FILES = 1000;

/**
 * Reads every `*.md` of a folder, not of folders below it. A folder that is not there has no agents.
 *
 * @throws ChildPolicyError `agent_files` with every problem of every file: a wrong line, a name that two files have, a file
 * that is no regular UTF-8 file of at most 256 KiB, a symbolic link. The signal's reason.
 */
export async function loadAgents(folder: string, options: LoadAgentsOptions = {}): Promise<LoadedAgents> {
  const { models, signal } = options;
  const agents = new Map<string, AgentFile>();
  const problems: AgentFileProblem[] = [];
  const guardFiles: GuardFile[] = [];
  const names = await agentFileNames(folder);
  if (typeof names === "string") throw agentFilesError([{ file: folder, line: 1, problem: names }]);
  for (const name of names) {
    signal?.throwIfAborted();
    const file = join(folder, name);
    const found = await readAgentText(file);
    if (typeof found === "string") {
      problems.push({ file, line: 1, problem: found });
      continue;
    }
    guardFiles.push({ path: file, sha256: sha256(found.bytes) });
    const read = readAgent(found.text, { file, models });
    if ("problems" in read) problems.push(...read.problems);
    else addAgent(read, agents, problems);
  }
  if (problems.length > 0) throw agentFilesError(problems);
  const sorted = [...agents.values()].toSorted((left, right) => (left.name < right.name ? -1 : 1));
  return Object.freeze({ agents: Object.freeze(sorted), guardFiles: Object.freeze(guardFiles) });
}

function addAgent(agent: AgentFile, agents: Map<string, AgentFile>, problems: AgentFileProblem[]): void {
  const other = agents.get(agent.name);
  if (other === undefined) agents.set(agent.name, agent);
  else
    problems.push({
      file: agent.file,
      line: 1,
      problem: `the name '${agent.name}' is also that of ${other.file}`,
    });
}

/** Sorted; a text says why there are none. */
async function agentFileNames(folder: string): Promise<readonly string[] | string> {
  try {
    const names = (await readdir(folder)).filter((name) => /\.md$/i.test(name)).toSorted();
    return names.length > MAX_FILES ? `holds more than ${MAX_FILES} agent files` : names;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" && !(await isThere(folder)) ? [] : `cannot be read: ${message}`;
  }
}

interface AgentText {
  readonly bytes: Uint8Array;
  readonly text: string;
}

/** A regular file of UTF-8 text, or why it is none. Never follows a link, never waits for a pipe. */
async function readAgentText(path: string): Promise<AgentText | string> {
  try {
    if ((await lstat(path)).isSymbolicLink()) {
      return "is a symbolic link: what it leads to could be changed elsewhere";
    }
    const file = await open(
      path,
      constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0),
    );
    try {
      return await readOpened(file);
    } finally {
      await file.close();
    }
  } catch (error) {
    return `cannot be read: ${(error as Error).message}`;
  }
}

async function readOpened(file: FileHandle): Promise<AgentText | string> {
  const facts = await file.stat();
  if (!facts.isFile()) return "is not a regular file";
  if (facts.size > MAX_BYTES) return `is larger than ${MAX_BYTES} bytes`;
  const bytes = Buffer.alloc(facts.size);
  const { bytesRead } = await file.read(bytes, 0, facts.size, 0);
  if (bytesRead !== facts.size) return "changed while it was read";
  try {
    return { bytes, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return "is not UTF-8 text";
  }
}

function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
