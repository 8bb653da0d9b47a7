import { nearestWord } from "../input/nearest-word.ts";
import { readSkillFrontMatter, type LineProblem, type SkillEntry } from "./skill-front-matter.ts";

/** What a skill's front matter says. */
export interface SkillFacts {
  readonly name: string;
  readonly description: string;
  /** Tools that its author would like to have allowed; shown, and granted by nothing. */
  readonly allowedTools: readonly string[];
}

/** A skill's file, or everything that is wrong with it. */
export type ReadSkill =
  | { readonly facts: SkillFacts; readonly body: string }
  | { readonly problems: readonly LineProblem[] };

const KEYS = ["name", "description", "license", "compatibility", "metadata", "allowed-tools"] as const;
const MAX_DESCRIPTION = 1024;
const MAX_COMPATIBILITY = 500;

/**
 * Reads a SKILL.md as the open format has it: `name` (that of its folder) and `description`, `license`, `compatibility`,
 * `metadata` and `allowed-tools` if wanted, and the instructions below.
 */
export function readSkill(text: string, folder: string): ReadSkill {
  const { entries, problems, body } = readSkillFrontMatter(text);
  if (problems.length > 0) return { problems };
  const draft = new Draft(entries);
  const facts: SkillFacts = {
    name: draft.name(folder),
    description: draft.text("description", { required: true, most: MAX_DESCRIPTION }),
    allowedTools: draft.text("allowed-tools").split(/\s+/).filter(Boolean),
  };
  draft.text("license");
  draft.text("compatibility", { most: MAX_COMPATIBILITY });
  draft.refuseOthers();
  if (body === "") draft.report(1, "says nothing below its front matter");
  const wrong = draft.problems.toSorted((left, right) => left.line - right.line);
  return wrong.length > 0 ? { problems: wrong } : { facts, body };
}

class Draft {
  readonly problems: LineProblem[] = [];
  readonly #entries: ReadonlyMap<string, SkillEntry>;

  constructor(entries: readonly SkillEntry[]) {
    this.#entries = new Map(entries.map((entry) => [entry.key, entry]));
  }

  name(folder: string): string {
    const name = this.text("name", { required: true, most: 64 });
    const line = this.#entries.get("name")?.line ?? 1;
    if (name === "") return name;
    if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name))
      this.report(
        line,
        "'name' is not made of lower-case letters and digits, with single hyphens between them",
      );
    else if (name !== folder)
      this.report(line, `'name' is '${name}', and its folder '${folder}': they must be the same`);
    return name;
  }

  text(
    key: string,
    { required = false, most = Infinity }: { required?: boolean; most?: number } = {},
  ): string {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      if (required) this.report(1, `'${key}' is missing`);
      return "";
    }
    if (typeof entry.value !== "string") {
      this.report(entry.line, `'${key}' is a map, not a text`);
      return "";
    }
    if (required && entry.value.trim() === "") this.report(entry.line, `'${key}' is empty`);
    if (entry.value.length > most)
      this.report(entry.line, `'${key}' has ${entry.value.length} characters; at most ${most} are allowed`);
    return entry.value;
  }

  refuseOthers(): void {
    for (const { key, line, value } of this.#entries.values()) {
      if (key === "metadata" && typeof value === "string")
        this.report(line, "'metadata' is a text, not a map");
      if ((KEYS as readonly string[]).includes(key)) continue;
      const near = nearestWord(key, KEYS);
      this.report(
        line,
        `'${key}' is no key of a skill${near === undefined ? "" : `; did you mean '${near}'?`}`,
      );
    }
  }

  report(line: number, problem: string): void {
    this.problems.push({ line, problem });
  }
}
