import type { JsonObject } from "@basis/core";
import { fileDigests } from "./file-digests.ts";
import { runProcess, type ProcessResult } from "./run-process.ts";
import { textOutcome, ToolFailure, type Tool, type ToolContext, type ToolOutcome } from "./tool.ts";

const inputSchema: JsonObject = {
  type: "object",
  properties: {
    argv: {
      type: "array",
      items: { type: "string" },
      minItems: 1,
      description: "The program and its arguments, one word each. No shell: no pipes, globs or variables.",
    },
  },
  required: ["argv"],
  additionalProperties: false,
};

/** Where programs run and with which environment. */
export interface CommandSetting {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs?: number | undefined;
}

/** Milliseconds a program may take unless the host says otherwise. */
export const COMMAND_TIMEOUT_MS = 120_000;

/** `run`: one program without a shell. */
export function runTool(setting: CommandSetting): Tool {
  const { root } = setting;
  return {
    name: "run",
    description: "Runs one program in the workspace and answers what it printed.",
    inputSchema,
    effect: "command",
    level: "process",
    source: "builtin",
    timeoutMs: setting.timeoutMs ?? COMMAND_TIMEOUT_MS,
    parallelSafe: () => false,
    evidence: (input) => fileDigests(root, (input as { argv: readonly string[] }).argv),
    async execute(input, context) {
      return commandOutcome(await runArgv((input as { argv: [string, ...string[]] }).argv, setting, context));
    },
  };
}

/** Runs a program in the workspace. @throws ToolFailure when there is no such program. */
export async function runArgv(
  argv: readonly [string, ...string[]],
  { root, env }: CommandSetting,
  { signal, progress }: ToolContext,
): Promise<ProcessResult> {
  try {
    return await runProcess({ argv, cwd: root, env, signal, progress });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new ToolFailure(`there is no program '${argv[0]}'`);
  }
}

/** What a program that has ended answers a model: on success what it printed, else its errors and its status. */
export function commandOutcome(end: ProcessResult): ToolOutcome {
  return textOutcome(commandText(end), end.exitCode !== 0);
}

function commandText({ stdout, stderr, exitCode, exitSignal }: ProcessResult): string {
  const failed = exitCode !== 0;
  const text = failed ? stderr || stdout : stdout || stderr;
  if (!failed) return text;
  const status =
    exitSignal === null ? `Command exited with status ${exitCode}` : `Command ended by ${exitSignal}`;
  return text === "" ? status : `${text.trimEnd()}\n[${status}]`;
}
