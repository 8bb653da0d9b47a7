import { join, resolve } from "node:path";
import type { Environment } from "../process/child-environment.ts";
import type { Arguments, CommandContext, OptionSpec } from "./command.ts";
import { Refusal, UsageError } from "./exit-code.ts";

/** Where hooks are looked for, and where a user's trust in them is kept. */
export interface HookPlace {
  readonly workspace: string;
  /** Absent: the one that the environment names. */
  readonly globalDir: string | undefined;
  readonly withGlobal: boolean;
  readonly trustFile: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

/** The options that say where. */
export const placeOptions: Readonly<Record<"workspace" | "global" | "no-global" | "trust-file", OptionSpec>> =
  {
    workspace: { value: "DIR", about: "the workspace; without it, this folder" },
    global: {
      value: "DIR",
      about:
        "the operator's directory; without it, BASIS_CONFIG_DIR, else XDG_CONFIG_HOME/basis, else ~/.config/basis",
    },
    "no-global": { about: "leave the operator's hooks out" },
    "trust-file": {
      value: "FILE",
      about:
        "the record of trust; without it, trust.json in BASIS_DATA_DIR, else XDG_DATA_HOME/basis, else ~/.local/share/basis",
    },
  };

/** Reads those options. @throws UsageError, Refusal. */
export function placeOf(args: Arguments<keyof typeof placeOptions>, context: CommandContext): HookPlace {
  const given = args.text("global");
  const withGlobal = !args.has("no-global");
  if (given !== undefined && !withGlobal)
    throw new UsageError(["--global and --no-global exclude each other"]);
  const globalDir = given && resolve(context.directory, given);
  return { ...ownPlaceOf(args, context), globalDir, withGlobal };
}

/** The same for a command that is about the workspace's own hooks alone. @throws Refusal. */
export function ownPlaceOf(
  args: Arguments<"workspace" | "trust-file">,
  { env, directory, signal }: CommandContext,
): HookPlace {
  const trustFile = args.text("trust-file");
  return {
    workspace: resolve(directory, args.text("workspace") ?? "."),
    globalDir: undefined,
    withGlobal: false,
    trustFile: trustFile === undefined ? defaultTrustFile(env) : resolve(directory, trustFile),
    env,
    signal,
  };
}

/** The record that hosts of one user share. @throws Refusal where the environment names no directory. */
function defaultTrustFile(env: Environment): string {
  const home = env["HOME"] || env["USERPROFILE"];
  const directory =
    env["BASIS_DATA_DIR"] ||
    (env["XDG_DATA_HOME"] ? join(env["XDG_DATA_HOME"], "basis") : undefined) ||
    (home ? join(home, ".local", "share", "basis") : undefined);
  if (directory === undefined)
    throw new Refusal("there is no place for the record of trust: name one with --trust-file");
  return join(directory, "trust.json");
}
