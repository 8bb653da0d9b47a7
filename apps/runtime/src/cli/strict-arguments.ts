import type { ArgsDef } from "citty";
import { UsageError } from "./exit-code.ts";

/**
 * Refuses what a command does not know: an option that is none of its own, an option without its value,
 * and more words than it takes. (citty itself ignores all three.)
 */
export function checkArguments(rawArgs: readonly string[], defs: ArgsDef): void {
  const words = walk(rawArgs, defs);
  const room = Object.values(defs).filter((def) => def.type === "positional").length;
  const extra = words[room];
  if (extra !== undefined)
    throw new UsageError(`unexpected argument '${extra}' (quote a prompt of several words)`);
}

function walk(rawArgs: readonly string[], defs: ArgsDef): string[] {
  const words: string[] = [];
  for (let i = 0; i < rawArgs.length; i += 1) {
    const token = rawArgs[i]!;
    if (token === "--") return [...words, ...rawArgs.slice(i + 1)];
    if (!token.startsWith("-") || token === "-") {
      words.push(token);
      continue;
    }
    const [name, inline] = token.replace(/^-+/, "").split("=", 2) as [string, string | undefined];
    const def = find(name, defs);
    if (def === undefined) throw new UsageError(`unknown option '${token}'${suggestion(name, defs)}`);
    if (def.type === "boolean" || inline !== undefined) continue;
    i += 1;
    if (rawArgs[i] === undefined) throw new UsageError(`option '${token}' needs a value`);
  }
  return words;
}

function find(name: string, defs: ArgsDef): ArgsDef[string] | undefined {
  if (name === "help" || name === "h") return { type: "boolean" };
  const [, def] =
    Object.entries(defs).find(
      ([key, def]) => def.type !== "positional" && (key === name || [aliasesOf(def)].flat().includes(name)),
    ) ?? [];
  return def;
}

function aliasesOf(def: ArgsDef[string]): string | readonly string[] {
  return "alias" in def ? (def.alias ?? []) : [];
}

function suggestion(name: string, defs: ArgsDef): string {
  const near = Object.keys(defs).find((key) => key.startsWith(name.slice(0, 3)) && name.length > 2);
  return near === undefined ? "; see --help" : `; did you mean --${near}?`;
}
