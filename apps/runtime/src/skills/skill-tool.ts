import { sha256, type JsonObject } from "@basis/core";
import { nearestWord } from "../input/nearest-word.ts";
import { readConfined } from "../tools/confined-file.ts";
import { textOutcome, ToolFailure, type Tool } from "../tools/tool.ts";
import type { Skill } from "./load-skills.ts";

/** The name of the tool that loads skills. */
export const SKILL_TOOL = "skill";

const inputSchema: JsonObject = {
  type: "object",
  properties: {
    name: { type: "string", description: "The skill's name." },
    file: {
      type: "string",
      description: "A file of the skill's folder that its instructions name. Default: the instructions.",
    },
  },
  required: ["name"],
  additionalProperties: false,
};

/**
 * `skill`: the instructions of a skill, or a file that lies beside them. Files are read as they were when the skill was
 * trusted; one that changed since is refused.
 */
export function skillTool(skills: readonly Skill[]): Tool {
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  return {
    name: SKILL_TOOL,
    description: "Loads a skill's instructions, or a file of its folder.",
    inputSchema,
    effect: "read",
    level: "none",
    source: "builtin",
    parallelSafe: () => true,
    async execute(input, { signal }) {
      const { name, file } = input as { name: string; file?: string };
      const skill = byName.get(name);
      if (skill === undefined) throw unknown("skill", name, [...byName.keys()]);
      signal.throwIfAborted();
      return textOutcome(file === undefined ? instructions(skill) : await readFileOf(skill, file));
    },
  };
}

function instructions({ body, files }: Skill): string {
  const beside = Object.keys(files).filter((path) => path !== "SKILL.md");
  return beside.length === 0
    ? body
    : `${body}\n\n[files of this skill, by the tool skill: ${beside.join(", ")}]`;
}

async function readFileOf({ name, folder, files }: Skill, file: string): Promise<string> {
  const path = file.replace(/^(?:\.\/)+/, "");
  if (!Object.hasOwn(files, path)) throw unknown(`file of skill '${name}'`, file, Object.keys(files));
  const bytes = await readConfined(folder, path);
  if (sha256(bytes) !== files[path])
    throw new ToolFailure(`'${file}' of skill '${name}' is not what it was when the run began`);
  if (bytes.includes(0)) throw new ToolFailure(`'${file}' is not a text file (${bytes.length} bytes)`);
  return bytes.toString("utf8");
}

function unknown(what: string, name: string, known: readonly string[]): ToolFailure {
  const near = nearestWord(name, known);
  const hint = near === undefined ? "" : `; did you mean '${near}'?`;
  return new ToolFailure(`there is no ${what} called '${name}'${hint} There are: ${known.join(", ")}`);
}
