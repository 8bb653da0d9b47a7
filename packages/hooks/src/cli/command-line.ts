import { isBasisError, visibleText } from "@basis/core";
import { didYouMean } from "../node/nearest-name.ts";
import type { Command, CommandContext } from "./command.ts";
import { exitCode, Refusal, UsageError, type ExitCode } from "./exit-code.ts";
import { jsonText, paintFor } from "./layout.ts";
import { refusalInWords } from "./refusal-words.ts";
import { asksFor, asksForHelp, readArguments } from "./read-arguments.ts";
import { renderHelp, renderOverview } from "./render-help.ts";

interface Entry {
  readonly name: string;
  readonly about: string;
  load(): Promise<Command>;
}

/** Every command; each is loaded when it is called. */
const COMMANDS: readonly Entry[] = [
  {
    name: "list",
    about: "show the hooks in the order in which they are asked",
    load: async () => (await import("./list-command.ts")).listCommand,
  },
  {
    name: "lint",
    about: "check hooks files and what they name",
    load: async () => (await import("./lint-command.ts")).lintCommand,
  },
  {
    name: "explain",
    about: "ask the chain about one call and show who answered what",
    load: async () => (await import("./explain-command.ts")).explainCommand,
  },
  {
    name: "test",
    about: "run the cases of a file against the chain",
    load: async () => (await import("./test-command.ts")).testCommand,
  },
  {
    name: "trust",
    about: "show what a workspace's hooks would run, and trust it",
    load: async () => (await import("./trust-command.ts")).trustCommand,
  },
  {
    name: "bench",
    about: "measure how long each hook takes to answer",
    load: async () => (await import("./bench-command.ts")).benchCommand,
  },
];

/** The process that the command line runs in. */
export interface CommandProcess {
  readonly argv: readonly string[];
  readonly env: CommandContext["env"];
  readonly directory: string;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

/** Runs one command; answers the exit code. Never throws. */
export async function runCommandLine(process: CommandProcess): Promise<ExitCode> {
  const { argv, env, stdin, stdout, stderr, signal } = process;
  const stderrPaint = paintFor(stderr, env);
  const note = (text: string): void => {
    for (const line of visibleText(text, { maxChars: 8000, multiline: true }).split("\n"))
      stderr.write(`${stderrPaint.bad("basis-hooks:")} ${line}\n`);
  };
  const context: CommandContext = {
    env,
    get directory() {
      return process.directory;
    },
    stdin,
    stderr,
    signal,
    paint: paintFor(stdout, env),
    print: (text) => void stdout.write(text),
    note,
  };
  try {
    return await dispatch(argv, context);
  } catch (error) {
    if (signal.aborted) return exitCode.interrupted;
    const words = refusalInWords(error);
    note(words);
    if (asksFor(argv, "--json")) context.print(jsonText({ error: errorToWire(error, words) }));
    return exitCodeOf(error);
  }
}

async function dispatch(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  const [first, ...rest] = argv;
  const entry = COMMANDS.find(({ name }) => name === first);
  if (entry !== undefined) {
    const command = await entry.load();
    if (asksForHelp(rest)) context.print(renderHelp(command));
    else return command.run(readArguments(rest, command), context);
  } else if (first === "--help" || first === "-h" || first === "help")
    context.print(renderOverview(COMMANDS));
  else if (first === "--version") context.print(`${await version()}\n`);
  else throw unknownCommand(first);
  return exitCode.ok;
}

function unknownCommand(word: string | undefined): UsageError {
  const names = COMMANDS.map(({ name }) => name);
  const see = `commands: ${names.join(", ")}; see: basis-hooks --help`;
  if (word === undefined) return new UsageError(["a command is missing", see]);
  return new UsageError([`there is no command '${visibleText(word)}'${didYouMean(word, names)}`, see]);
}

async function version(): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  const manifest = new URL("../../package.json", import.meta.url);
  const { version: own } = JSON.parse(await readFile(manifest, "utf8")) as { version: string };
  return own;
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError) return exitCode.usage;
  return error instanceof Refusal || isBasisError(error) ? exitCode.refused : exitCode.found;
}

function errorToWire(error: unknown, message: string): object {
  if (isBasisError(error)) return { code: error.code, message, details: error.details };
  return { code: error instanceof UsageError ? "usage" : "refused", message };
}
