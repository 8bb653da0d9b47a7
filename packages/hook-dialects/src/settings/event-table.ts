import type { HookEvent } from "@basis/hooks";
import { expressionOf } from "../bridge/matcher.ts";
import type { EventTable, OtherEvent } from "./entry.ts";

/** A table of events from lists of their names. */
export function eventTable(lists: {
  readonly pre: readonly string[];
  readonly post: readonly string[];
  readonly guards: readonly string[];
  readonly tells: readonly string[];
}): EventTable {
  const rows = (names: readonly string[], meaning: HookEvent | OtherEvent) =>
    names.map((name) => [name, meaning] as const);
  return new Map([
    ...rows(lists.pre, "pre_tool_use"),
    ...rows(lists.post, "post_tool_use"),
    ...rows(lists.guards, "guards"),
    ...rows(lists.tells, "tells"),
  ]);
}

/** Why a text is no matcher; undefined when it is one. */
export function matcherProblem(matcher: string): string | undefined {
  return matcher === "*" || expressionOf(matcher) !== undefined
    ? undefined
    : "'matcher' is no regular expression";
}
