import { parseArgs } from "node:util";
import { visibleText } from "@basis/core";
import { nearestName } from "../feedback.ts";
import { dialects, type DialectName } from "../lowering/index.ts";

/** What is to be linted, and how. */
export interface LintArguments {
  readonly files: readonly string[];
  readonly providers: readonly DialectName[];
  readonly strict: boolean;
  readonly json: boolean;
}

/** Arguments that make no sense. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const OPTIONS = {
  provider: { type: "string", multiple: true },
  strict: { type: "boolean" },
  json: { type: "boolean" },
} as const;

/** Reads the arguments of `lint`. @throws UsageError. */
export function readLintArguments(argv: readonly string[]): LintArguments {
  const { values, positionals } = parse(argv);
  const named = (values.provider ?? []).flatMap((value) => value.split(",")).filter((name) => name !== "");
  const all = Object.keys(dialects) as DialectName[];
  const unknown = named.find((name) => !all.includes(name as DialectName));
  if (unknown !== undefined) throw new UsageError(unknownProvider(unknown, all));
  if (positionals.length === 0) throw new UsageError("FILE is missing: a file with a JSON Schema");
  const providers = named.length > 0 ? ([...new Set(named)] as DialectName[]) : all;
  return { files: positionals, providers, strict: values.strict === true, json: values.json === true };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(
      error instanceof Error ? visibleText(error.message) : "the arguments cannot be read",
    );
  }
}

function unknownProvider(name: string, all: readonly string[]): string {
  const near = nearestName(name, all);
  const hint = near === undefined ? "" : `; did you mean '${near}'?`;
  return `there is no provider '${visibleText(name, { maxChars: 80 })}'${hint}; there are ${all.join(", ")}`;
}
