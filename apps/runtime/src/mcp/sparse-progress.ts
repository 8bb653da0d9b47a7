import { visibleText, type Clock } from "@basis/core";
import type { ToolContext } from "../tools/tool.ts";

const PAUSE_MS = 100;
const MAX_CHARS = 500;

/** Passes on what a server says of its progress: readable, short, ten times a second at most. */
export function sparseProgress(
  { progress }: Pick<ToolContext, "progress">,
  clock: Clock,
): (text: string) => void {
  let next = -Infinity;
  return (text) => {
    const now = clock.monotonicMs();
    if (now < next) return;
    next = now + PAUSE_MS;
    progress(visibleText(text, { maxChars: MAX_CHARS }));
  };
}
