import type { Environment } from "../../config/data-dir.ts";
import { UsageError } from "../terminal/exit-code.ts";
import { count, type Option } from "./option.ts";

/** Below this a summary and what has to stay would not fit. */
const LEAST = 1000;

/** `--compact-at`. */
export const compactAtOption: Option<number> = count(
  LEAST,
  "estimated tokens of a request at which the session's beginning is summarised first; or BASIS_COMPACT_AT. Default: only once the provider has refused a request for its length",
);

/** What the command line says, else the environment. @throws UsageError */
export function compactAtOf(given: number | undefined, env: Environment): number | undefined {
  const told = env["BASIS_COMPACT_AT"];
  if (given !== undefined || told === undefined || told === "") return given;
  try {
    return compactAtOption.read(told);
  } catch (error) {
    throw error instanceof UsageError
      ? new UsageError(error.problems.map((problem) => `BASIS_COMPACT_AT ${problem}`))
      : error;
  }
}
