import type { Clock } from "@basis/core";
import type { CommandJudge, CommandView } from "../command-judge.ts";
import type { CommandPattern } from "../command-pattern.ts";
import type { RuleSubject } from "../opened-call.ts";
import { loadShellParser } from "./bash-grammar.ts";
import { commandLineOf, type CommandLine } from "./command-line.ts";
import { coverCommands, type CoverScope } from "./cover-command.ts";
import { mayBe, startsOf, suspectsOf, type Suspects } from "./match-denied.ts";
import { rememberCommand, type RememberCommandOptions, type RememberedCommand } from "./remember-command.ts";
import { readShellText, type ShellReading } from "./read-shell-text.ts";
import { commandOf, literal } from "./word.ts";

/** How command rules are set up. */
export interface CommandRulesOptions {
  /**
   * True when the git configuration that a command of this call would read can start programs (`core.fsmonitor`,
   * `core.pager`, hooks, aliases …). Absent: always, so that no rule allows git. A predicate that throws counts as true.
   */
  readonly gitMayRun?: ((call: RuleSubject) => boolean) | undefined;
  /** Which command a call runs. Default: `commandLineOf`. */
  readonly commandLineOf?: ((call: RuleSubject) => CommandLine | undefined) | undefined;
  /** Tells how long a parse takes; one of more than 200 ms is stopped, and the command counts as unreadable. */
  readonly clock?: Clock | undefined;
}

/** What reads commands for a gate, and makes rules of them. */
export interface CommandRules extends CommandJudge {
  /**
   * The rules to keep when this call is to be allowed from now on: this exact call, or with `words` one rule for each
   * part that spells so many of its words. Where rules by words would not allow the call it is the exact call again.
   */
  remember(call: RuleSubject, options?: RememberCommandOptions): RememberedCommand;
}

/** Shell texts whose reading is kept. */
const KEPT_READINGS = 256;

/**
 * Loads the shell parser and makes what a gate's `commands` takes. Judging is synchronous and keeps nothing
 * of a call but readings of recent shell texts.
 *
 * @throws ApprovalError `missing_peer` without web-tree-sitter, `grammar_failed`.
 */
export async function openCommandRules(options: CommandRulesOptions = {}): Promise<CommandRules> {
  const parse = await loadShellParser(options.clock);
  const read = keepRecent((source) => readShellText(source, parse));
  const lineOf = options.commandLineOf ?? commandLineOf;
  const rules: CommandRules = {
    view(call) {
      const line = lineOf(call);
      if (line === undefined) return unreadable;
      return viewOf(line, { read, gitMayRun: () => asksGit(options, call) });
    },
    remember(call, how = {}) {
      const line = lineOf(call);
      return rememberCommand(call, how, { judge: rules, line, reading: line && readingOf(line, read) });
    },
  };
  return Object.freeze(rules);
}

/** A call that shows no command: nothing allows it by words, every denial by words applies. */
const unreadable: CommandView = Object.freeze({
  problem: "the call shows no command",
  coveredBy: () => undefined,
  mayMatch: () => true,
});

function asksGit({ gitMayRun }: CommandRulesOptions, call: RuleSubject): boolean {
  try {
    return gitMayRun?.(call) !== false;
  } catch {
    return true;
  }
}

function viewOf(line: CommandLine, context: Pick<CoverScope, "read" | "gitMayRun">): CommandView {
  const reading = readingOf(line, context.read);
  let found: Suspects | undefined;
  const suspects = (): Suspects => (found ??= suspectsOf(reading, context.read));
  return {
    problem: reading.failed ? reading.reason : undefined,
    coveredBy(patterns) {
      if (!reading.total) return undefined;
      const places = coverCommands(reading.commands, {
        ...context,
        patterns,
        holdsHere: (pattern) => holdsAt(pattern, line),
        moved: false,
        unsettled: false,
        depth: 0,
      });
      return places && [...new Set(places)].toSorted((left, right) => left - right);
    },
    starts: () => startsOf(suspects()),
    mayMatch(pattern) {
      if (isElsewhere(pattern, line)) return false;
      return mayBe(suspects(), pattern);
    },
  };
}

function readingOf(line: CommandLine, read: CoverScope["read"]): ShellReading {
  return "argv" in line ? argvReading(line.argv) : read(line.shell);
}

/** One program with literal words. */
function argvReading(argv: readonly string[]): ShellReading {
  const source = argv.join(" ");
  const strange = argv.some((word) => word.includes("\0")) || argv[0] === "";
  if (strange) return { source, commands: [], total: false, failed: true, reason: "a word of it is no word" };
  return { source, commands: [commandOf(argv.map(literal))], total: true, failed: false };
}

function holdsAt({ cwd, target = "local" }: CommandPattern, line: CommandLine): boolean {
  return (cwd === undefined || cwd === line.cwd) && target === (line.target ?? "local");
}

/** A denial for another place does not apply; one whose place the call does not tell does. */
function isElsewhere({ cwd, target }: CommandPattern, line: CommandLine): boolean {
  if (target !== undefined && target !== (line.target ?? "local")) return true;
  return cwd !== undefined && line.cwd !== undefined && cwd !== line.cwd;
}

function keepRecent(read: (source: string) => ShellReading): (source: string) => ShellReading {
  const kept = new Map<string, ShellReading>();
  return (source) => {
    const found = kept.get(source) ?? read(source);
    kept.delete(source);
    kept.set(source, found);
    if (kept.size > KEPT_READINGS) kept.delete(kept.keys().next().value!);
    return found;
  };
}
