import { isJsonObject } from "@basis/core";
import { ChildPolicyError, SpawnInputError } from "./child-policy-error.ts";

/** What a spawn input asks for. `target` is `local` for everything that happens here. */
export type SpawnCall =
  | { readonly mode: "command"; readonly body: string; readonly target: string }
  | { readonly mode: "agent"; readonly body: string; readonly target: "local" };

/** Where commands may run. */
export interface SpawnGrammar {
  /** Names of registered targets beside this machine. */
  readonly targets?: readonly string[] | undefined;
  /** False: no commands, tasks only. Default true. */
  readonly commands?: boolean | undefined;
}

const TARGET_NAME = /^[A-Za-z0-9_-]+$/;
const LOCAL = "local";

/**
 * Reads the spawn tool's arguments `{input}` (a bare text counts as the input). The input is trimmed once:
 * `!!rest` is a task that begins with one `!` less, `!@name cmd` a command on a target, `!cmd` a command here,
 * anything else a task. The blanks between a prefix and its command belong to neither.
 *
 * @throws SpawnInputError whose message teaches the form that works; ChildPolicyError `invalid_option` for bad targets.
 */
export function parseSpawn(args: unknown, grammar: SpawnGrammar = {}): SpawnCall {
  const targets = sortedTargets(grammar);
  const text: unknown = isJsonObject(args) && Object.hasOwn(args, "input") ? args["input"] : args;
  if (typeof text !== "string") {
    throw new SpawnInputError("not_text", 'spawn takes {"input": "…"}: one text that holds the task');
  }
  const input = text.trim();
  if (input === "") throw new SpawnInputError("empty", "the input is empty: write the task for the subagent");
  if (!input.startsWith("!")) return task(input);
  if (input.startsWith("!!")) return task(input.slice(1));
  if (grammar.commands === false) {
    throw new SpawnInputError(
      "commands_off",
      "commands are off here: write a task for a subagent; one that begins with a literal ! is written !!…",
    );
  }
  if (input.startsWith("!@")) return targetCommand(input.slice(2), targets);
  return command(input.slice(1), LOCAL, "!ls");
}

/**
 * The target names in the order in which they are shown.
 *
 * @throws ChildPolicyError `invalid_option` for a name outside `[A-Za-z0-9_-]+`, and for `local`.
 */
export function sortedTargets({ targets = [] }: SpawnGrammar): readonly string[] {
  for (const name of targets) {
    if (TARGET_NAME.test(name) && name !== LOCAL) continue;
    const problem =
      name === LOCAL ? "is reserved for this machine" : "may hold letters, digits, _ and - only";
    throw new ChildPolicyError("invalid_option", `the target name '${name}' ${problem}`, {
      details: { option: "targets", problem },
    });
  }
  return [...new Set(targets)].toSorted();
}

function task(body: string): SpawnCall {
  if (body.trim() === "!") {
    throw new SpawnInputError(
      "empty_task",
      "!! begins a task with a literal !, and here nothing follows: write !!task",
    );
  }
  return Object.freeze({ mode: "agent", body, target: LOCAL });
}

function command(text: string, target: string, form: string): SpawnCall {
  const body = text.trimStart();
  if (body === "")
    throw new SpawnInputError(
      "empty_command",
      `the command is empty: write it after the prefix, as in ${form}`,
    );
  return Object.freeze({ mode: "command", body, target });
}

function targetCommand(rest: string, targets: readonly string[]): SpawnCall {
  const name = /^\S*/.exec(rest)?.[0] ?? "";
  if (!TARGET_NAME.test(name)) {
    throw new SpawnInputError(
      "bad_target_name",
      "!@ is followed by a target's name (letters, digits, _ and -), a space and the command, as in !@name ls",
    );
  }
  if (name === LOCAL) {
    throw new SpawnInputError(
      "reserved_target",
      "local is this machine, which needs no name: write !command",
    );
  }
  if (targets.length === 0) {
    throw new SpawnInputError(
      "no_targets",
      `no targets are registered, so '${name}' is not there: write !command to run it here`,
    );
  }
  if (!targets.includes(name)) {
    const known = targets.map((target) => `!@${target}`).join(", ");
    throw new SpawnInputError("unknown_target", `there is no target '${name}': write ${known} or !command`);
  }
  return command(rest.slice(name.length), name, `!@${name} ls`);
}
