import { readdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "@basis/core";
import { StartError } from "../config/start-error.ts";
import { readConfined } from "../tools/confined-file.ts";
import { readSkill, type SkillFacts } from "./skill.ts";

/** A skill that was read: its instructions, and the digests of the files that lie beside them. */
export interface Skill extends SkillFacts {
  /** The real path of its folder. */
  readonly folder: string;
  readonly body: string;
  /** SHA-256 in hexadecimal of every file of the folder, by path with `/`; SKILL.md is one of them. */
  readonly files: Readonly<Record<string, string>>;
}

const SKILL_FILE = "SKILL.md";
const MAX_SKILLS = 200;
const MAX_FILES = 500;
const MAX_BYTES = 256 * 1024;

/**
 * Reads the skills of a folder: each folder in it is one, by its SKILL.md. A folder that is not there has none. `base`
 * is what nothing may lead out of.
 *
 * @throws StartError `workspace` with every problem, its file and line.
 */
export async function loadSkills(base: string, folder: string): Promise<readonly Skill[]> {
  const root = await realpath(base).catch(() => base);
  const names = await foldersIn(join(root, folder));
  if (names.length > MAX_SKILLS)
    throw new StartError("workspace", [`${join(root, folder)}: holds more than ${MAX_SKILLS} skills`]);
  const skills: Skill[] = [];
  const problems: string[] = [];
  for (const name of names) {
    const read = await loadSkill(root, join(folder, name), name);
    if ("problems" in read) problems.push(...read.problems);
    else skills.push(read);
  }
  if (problems.length > 0) throw new StartError("workspace", problems);
  return skills;
}

async function loadSkill(
  root: string,
  folder: string,
  name: string,
): Promise<Skill | { readonly problems: readonly string[] }> {
  const path = join(folder, SKILL_FILE);
  try {
    const files = await fileDigests(root, folder);
    const text = decode(await readConfined(root, path, MAX_BYTES));
    const read = readSkill(text, name);
    if ("problems" in read)
      return { problems: read.problems.map(({ line, problem }) => `${path}:${line}: ${problem}`) };
    return Object.freeze({ ...read.facts, body: read.body, folder: join(root, folder), files });
  } catch (error) {
    return { problems: [`${path}: ${(error as Error).message}`] };
  }
}

/** Links among them are refused: what they lead to could be changed elsewhere. */
async function fileDigests(root: string, folder: string): Promise<Readonly<Record<string, string>>> {
  const digests: [string, string][] = [];
  const waiting = [""];
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    const entries = await readdir(join(root, folder, below), { withFileTypes: true });
    for (const entry of entries) {
      const inner = below === "" ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory()) waiting.push(inner);
      else if (!entry.isFile()) throw new Error(`'${inner}' beside it is no regular file`);
      else digests.push([inner, sha256(await readConfined(root, join(folder, inner)))]);
    }
    if (digests.length > MAX_FILES) throw new Error(`more than ${MAX_FILES} files lie beside it`);
  }
  return Object.fromEntries(digests.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}

async function foldersIn(path: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    const links = entries
      .filter((entry) => entry.isSymbolicLink())
      .map(({ name }) => `${join(path, name)}: is a link`);
    if (links.length > 0) throw new StartError("workspace", links);
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error instanceof StartError
      ? error
      : new StartError("workspace", [`${path}: ${(error as Error).message}`]);
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error("is not UTF-8 text");
  }
}
