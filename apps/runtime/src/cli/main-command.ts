import { renderUsage, runCommand, type ArgsDef } from "citty";
import { isBasisError } from "@basis/core";
import type { Command } from "./command.ts";
import { exitCode, exitCodeOfError, UsageError, type ExitCode } from "./exit-code.ts";
import { paint, progress } from "./output-format.ts";
import { checkArguments } from "./strict-arguments.ts";

const commands: Readonly<Record<string, { readonly about: string; readonly load: () => Promise<Command> }>> =
  {
    run: {
      about: 'Run one turn (also: basis "PROMPT")',
      load: async () => (await import("./run-command.ts")).runCommand,
    },
    fork: {
      about: "Fork a session, or recover a fork",
      load: async () => (await import("./fork-command.ts")).forkCommand,
    },
    sessions: {
      about: "List, show and relate sessions",
      load: async () => (await import("./sessions-command.ts")).sessionsCommand,
    },
    events: {
      about: "Print a session's event log",
      load: async () => (await import("./events-command.ts")).eventsCommand,
    },
    inspect: {
      about: "Show the effective configuration",
      load: async () => (await import("./inspect-command.ts")).inspectCommand,
    },
    demo: {
      about: "Run the demonstration on this folder",
      load: async () => (await import("./demo-command.ts")).demoCommand,
    },
    init: {
      about: "Write a first .basis folder",
      load: async () => (await import("./init-command.ts")).initCommand,
    },
  };

const overview = `basis: an agent host that runs one turn in this folder

  basis "PROMPT"                 ask; the same as basis run "PROMPT"
${Object.entries(commands)
  .map(([name, { about }]) => `  basis ${name.padEnd(24)} ${about}`)
  .join("\n")}

  basis COMMAND --help           the options of a command
  basis --version

Exit codes: 0 ok · 1 failed · 2 usage · 3 a bound ended it · 4 waits for an approval · 5 refused to start · 130 interrupted
A model is named PROVIDER/MODEL (BASIS_MODEL or --model); its key is read from the environment, e.g. ANTHROPIC_API_KEY.
`;

/** Runs the command line; answers the exit code. Never throws. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  try {
    return await dispatch(argv);
  } catch (error) {
    progress(`${paint.red("basis:")} ${error instanceof Error ? error.message : String(error)}`);
    if (isBasisError(error) && process.env["BASIS_DEBUG"]) progress(JSON.stringify(error));
    return exitCodeOfError(error);
  }
}

async function dispatch(argv: readonly string[]): Promise<ExitCode> {
  const [first] = argv;
  if (first === "--help" || first === "-h" || first === "help") return print(overview);
  if (first === "--version") return print(`${(await import("../version.ts")).version}\n`);
  if (first === undefined && process.stdin.isTTY) {
    process.stderr.write(overview);
    return exitCode.usage;
  }
  const named = first !== undefined && Object.hasOwn(commands, first);
  const command = await commands[named ? first : "run"]!.load();
  return runOne(command, named ? argv.slice(1) : argv);
}

async function runOne(command: Command, rawArgs: readonly string[]): Promise<ExitCode> {
  const { subCommands } = command as { subCommands?: Readonly<Record<string, Command>> };
  const [verb] = rawArgs;
  if (subCommands !== undefined && verb !== undefined && Object.hasOwn(subCommands, verb)) {
    return runOne(subCommands[verb]!, rawArgs.slice(1));
  }
  if (rawArgs.includes("--help") || rawArgs.includes("-h")) return print(`${await renderUsage(command)}\n`);
  if (subCommands !== undefined) {
    throw new UsageError(`name one of: ${Object.keys(subCommands).join(", ")}; see --help`);
  }
  checkArguments(rawArgs, (command.args ?? {}) as ArgsDef);
  const { result } = await runCommand(command, { rawArgs: [...rawArgs] });
  return (result ?? exitCode.ok) as ExitCode;
}

function print(text: string): ExitCode {
  process.stdout.write(text);
  return exitCode.ok;
}
