import { didYouMean } from "../node/nearest-name.ts";
import type { HookSettings } from "../node/hook-spec.ts";
import { matchesTool } from "../participant-filter.ts";
import type { EntryWarning } from "./finding.ts";
import { quoted } from "./why-left-out.ts";

/** What is doubtful about an entry's filters; `knownTools` are the tools that a host has, where they are known. */
export function filterWarnings(
  { tools }: Pick<HookSettings, "tools">,
  knownTools: readonly string[] | undefined,
): readonly EntryWarning[] {
  if (tools === undefined) return [];
  if (tools.length === 0)
    return [
      {
        pointer: "/tools",
        message: "its 'tools' is empty, so that it is never asked",
        hint: "name tools, or leave 'tools' out to be asked about every one",
      },
    ];
  if (knownTools === undefined) return [];
  const unmatched = tools
    .map((entry, index) => ({ entry, index }))
    .filter(({ entry }) => !knownTools.some((name) => matchesTool([entry], name)));
  const isNeverAsked = unmatched.length === tools.length;
  return unmatched.map(({ entry, index }) => ({
    pointer: `/tools/${index}`,
    message: `'${entry}' matches no known tool${isNeverAsked ? ", so that the hook is never asked" : ""}${didYouMean(entry, knownTools)}`,
    hint: `known tools: ${quoted(knownTools.slice(0, 20))}${knownTools.length > 20 ? ", …" : ""}`,
  }));
}

/** Two hooks of one name both run; whoever reads a denial cannot tell them apart. */
export function nameWarnings(
  { name }: Pick<HookSettings, "name">,
  seen: ReadonlyMap<string, string>,
): readonly EntryWarning[] {
  const place = seen.get(name);
  if (place === undefined) return [];
  return [
    {
      pointer: "/name",
      message: `the name '${name}' stands at ${place} as well: both run, and texts do not tell them apart`,
      hint: "give one of them another name",
    },
  ];
}
