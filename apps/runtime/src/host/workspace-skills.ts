import { join } from "node:path";
import { pinGrant, type GrantPlace, type PinnedGrant } from "../config/grant.ts";
import { StartError } from "../config/start-error.ts";
import { loadSkills, type Skill } from "../skills/load-skills.ts";

/** Where a workspace's skills lie. */
export const SKILLS_FOLDER = ".basis/skills";

/** A skill of the workspace, pinned as its files stand now. */
export interface AskedSkill {
  readonly skill: Skill;
  readonly pinned: PinnedGrant;
}

/**
 * Reads `.basis/skills`. A skill tells an agent what to do, so it is trusted and pinned as hooks are: by its name and the
 * bytes of every file of its folder.
 *
 * @throws StartError `workspace` naming file and line.
 */
export async function readAskedSkills(place: GrantPlace): Promise<readonly AskedSkill[]> {
  const asked: AskedSkill[] = [];
  for (const skill of await loadSkills(place.workspace, SKILLS_FOLDER)) {
    const { name, files } = skill;
    const settings = { file: join(SKILLS_FOLDER, name, "SKILL.md"), files };
    asked.push({ skill, pinned: await pinGrant({ kind: "skill", name, settings, variables: [] }, place) });
  }
  return asked;
}

/**
 * The skills of a run: the operator's own, of `skills` in the configuration directory, and those of the workspace that
 * were granted.
 *
 * @throws StartError `workspace` for two of one name: neither takes the other's place.
 */
export function allSkills(own: readonly Skill[], granted: readonly Skill[]): readonly Skill[] {
  const names = new Set(own.map(({ name }) => name));
  const twice = granted.filter(({ name }) => names.has(name));
  if (twice.length > 0)
    throw new StartError(
      "workspace",
      twice.map(
        ({ name }) =>
          `${SKILLS_FOLDER}/${name}: you have a skill '${name}' in your configuration directory; rename one`,
      ),
    );
  return [...own, ...granted];
}
