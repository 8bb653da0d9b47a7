import type { ToolResult } from "@basis/core";

/** How a command ended. */
export interface CommandEnd {
  readonly stdout: string;
  readonly stderr: string;
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly timedOut?: boolean | undefined;
  /** The signal's name. */
  readonly signal?: string | undefined;
}

/** What the model reads of a command: what it printed, else how it ended. */
export function commandResult(end: CommandEnd): ToolResult {
  const { stdout, stderr, exitCode, timedOut = false, signal } = end;
  if (exitCode === 0 && !timedOut) return { output: said(stdout) ?? said(stderr) ?? "", isError: false };
  return { output: said(stderr) ?? said(stdout) ?? ending(), isError: true };

  function ending(): string {
    if (timedOut) return "Command timed out after the configured limit";
    if (exitCode !== null) return `Command exited with status ${exitCode}`;
    return `Command was ended by ${signal ?? "a signal"}`;
  }
}

function said(text: string): string | undefined {
  return text.trim() === "" ? undefined : text;
}
