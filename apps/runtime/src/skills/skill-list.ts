import { visibleText } from "@basis/core";
import type { SkillFacts } from "./skill.ts";

/** Most characters that the descriptions of all skills together may take in a system prompt. */
const BUDGET = 8000;

/**
 * What a model is told of the skills, sorted by name; empty without any. Where the descriptions are too long together,
 * the longest are cut first; names always stand.
 */
export function skillsInWords(skills: readonly Pick<SkillFacts, "name" | "description">[]): string {
  if (skills.length === 0) return "";
  const most = fairShare(skills.map(({ description }) => description.length));
  const lines = skills
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .map(
      ({ name, description }) =>
        `\n- ${name}: ${cut(visibleText(description.replace(/\s+/g, " "), { maxChars: Infinity }), most)}`,
    );
  return `Skills are instructions for certain tasks. When one fits what you are asked, load it with the tool skill before you begin:${lines.join("")}`;
}

/** The greatest length to which all can be cut so that they fit together. */
function fairShare(lengths: readonly number[]): number {
  let left = BUDGET;
  let count = lengths.length;
  for (const length of lengths.toSorted((a, b) => a - b)) {
    if (length * count > left) return Math.floor(left / count);
    left -= length;
    count -= 1;
  }
  return Infinity;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1))}…`;
}
