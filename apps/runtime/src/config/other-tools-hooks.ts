import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Where other coding agents keep the hooks of a repository. Source: their documentation; see `@basis/hook-dialects`. */
const PLACES: readonly string[] = [
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".gemini/settings.json",
  ".codex/hooks.json",
  ".cursor/hooks.json",
  ".github/hooks/hooks.json",
];

/** Where `basis-hook-dialects import` leaves what answers for them. */
const IMPORTED = ".basis/hook-dialects";

/** What to say of hooks for other tools that a run here does not ask: one line a file, none once they were imported. */
export function hooksOfOtherTools(root: string): readonly string[] {
  if (existsSync(join(root, IMPORTED))) return [];
  return PLACES.filter((path) => holdsHooks(join(root, path))).map(
    (path) =>
      `${path} has hooks for another tool, which are not asked here: npx --package @basis/hook-dialects basis-hook-dialects import makes them native`,
  );
}

function holdsHooks(file: string): boolean {
  try {
    return /"hooks"\s*:\s*[{[]\s*"/.test(readFileSync(file, "utf8"));
  } catch {
    return false;
  }
}
