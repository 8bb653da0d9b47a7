import { askLine, isInteractive } from "../../approvals/ask-line.ts";
import { isBelowAgent } from "../../approvals/lineage.ts";
import { StartError } from "../../config/start-error.ts";
import type { CommandContext } from "../arguments/command.ts";
import { exitCode, UsageError, type ExitCode } from "../terminal/exit-code.ts";
import { progress } from "../terminal/output-format.ts";

/** What is to be agreed to before something is deleted. */
export interface DeletionConsent {
  /** The command's name: `sessions rm`. */
  readonly command: string;
  /** What would be deleted, one thing a line, made visible. */
  readonly lines: readonly string[];
  /** `--yes` was given. */
  readonly agreed: boolean;
}

/** An agent's program may not delete the record of what the agent did. @throws StartError `trust` */
export function refuseDeletionByAgents(env: CommandContext["env"], command: string): void {
  if (!isBelowAgent(env)) return;
  throw new StartError("trust", [
    `an agent's run started this command, so it deletes nothing: ${command}; run it yourself`,
  ]);
}

/**
 * Asks for the whole word yes at a terminal, unless `--yes` was given. Answers undefined to go on, else the exit code of
 * a command that changed nothing.
 *
 * @throws UsageError where nobody can be asked.
 */
export async function consentToDelete(
  { command, lines, agreed }: DeletionConsent,
  { interrupt }: Pick<CommandContext, "interrupt">,
): Promise<ExitCode | undefined> {
  if (agreed) return undefined;
  for (const line of lines) progress(line);
  const terminal = { input: process.stdin, output: process.stderr };
  if (!isInteractive(terminal))
    throw new UsageError([
      `nobody can be asked here and nothing was deleted; say it with: basis ${command} … --yes, or look with --dry-run`,
    ]);
  const question = "Delete this for ever? Type yes, anything else leaves it as it is: ";
  if ((await askLine(terminal, question, interrupt.signal)).toLowerCase() === "yes") return undefined;
  progress("nothing was deleted");
  return exitCode.failed;
}
