import { realpathSync } from "node:fs";
import { isBasisError } from "@basis/core";
import { isSessionError, type SessionErrorCode } from "@mobkit/session";
import { commandTable as commands } from "./command-table.ts";
import { StartError } from "../config/start-error.ts";
import { addEnvironment } from "../secrets/environment-secrets.ts";
import { secrets } from "../secrets/secrets.ts";
import { isGroup, type Command, type CommandContext, type CommandGroup } from "./arguments/command.ts";
import { complain } from "./terminal/output-format.ts";
import { exitCode, exitCodeOfError, UsageError, type ExitCode } from "./terminal/exit-code.ts";
import { onInterrupt } from "./terminal/interrupt.ts";
import { nearestWord } from "../input/nearest-word.ts";
import { watchOutput } from "./terminal/output-watch.ts";
import { asksForHelp, parseArguments } from "./arguments/parse-arguments.ts";
import { renderHelp, table } from "./arguments/render-help.ts";

const overview = `basis runs an agent in this folder: guarded, durable, and from one command.

  basis "PROMPT"      ask; short for basis run "PROMPT"
${table([...commands].map(([name, { about }]) => [`basis ${name}`.padEnd(18), about] as const))}

  basis COMMAND --help, basis --version

Start with: basis demo, or ANTHROPIC_API_KEY=… basis "what is in this folder?"
A model is named PROVIDER/MODEL, by --model or BASIS_MODEL; its key is read from the environment.

Exit codes: 0 ok · 1 failed · 2 usage · 3 a bound ended it · 4 waits for an approval ·
            5 refused to start · 130 interrupted
`;

/** Runs the command line; answers the exit code. Never throws. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  const interrupt = onInterrupt();
  const output = watchOutput(() => interrupt.ask());
  try {
    const { env } = process;
    addEnvironment(secrets, env);
    const code = await dispatch(argv, {
      env,
      interrupt,
      get directory() {
        return currentDirectory();
      },
    });
    return output.lost ? exitCode.failed : code;
  } catch (error) {
    if (output.lost) return exitCode.failed;
    if (interrupt.asked) return exitCode.interrupted;
    complain(inWords(error));
    if (isBasisError(error) && process.env["BASIS_DEBUG"]) complain(JSON.stringify(error));
    return exitCodeOfError(error);
  }
}

/** A directory that was removed, or moved where nobody may look, has no name. */
function currentDirectory(): string {
  try {
    return realpathSync(process.cwd());
  } catch (error) {
    const problems = ["the current directory is gone, or you may not enter it; change to another one (cd)"];
    throw new StartError("workspace", problems, error);
  }
}

/** What is safe to do when the store fails in the middle of a command. */
const remedies: readonly (readonly [SessionErrorCode, string])[] = [
  ["busy", "another process is writing to it; nothing was changed: try again"],
  [
    "store_corrupt",
    "see what can be read with: basis doctor --deep; then restore a backup, or export what still opens and move the file away with its -wal and -shm",
  ],
];

/** What to see to, by why a store is not to be used, before the command is repeated. */
const careOf: Partial<Record<string, string>> = {
  access_denied: "have the owner of the database give the user its rights back",
  connection_lost: "see that its server runs and is reached",
  read_only: "see that its file system, or its server, can be written",
  schema_lost: "see that nobody has taken its schema away",
  unreachable: "see that its server runs and is reached",
};

function inWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "ERR_MODULE_NOT_FOUND")
    return `${error.message}\nthe installation is not whole: install @basis/runtime again; basis doctor names what is missing`;
  if (isSessionError(error, "store_unavailable")) {
    const care = careOf[error.details.reason] ?? "see that its file system has room and can be written";
    return `${error.message}\nwhat was acknowledged is kept; ${care}, then repeat the command`;
  }
  const remedy = remedies.find(([code]) => isSessionError(error, code))?.[1];
  if (remedy !== undefined) return `${error.message}\n${remedy}`;
  return isSessionError(error, "lease_held")
    ? `${error.message}, which runs a turn in it; wait for it, or end that process`
    : error.message;
}

async function dispatch(argv: readonly string[], context: CommandContext): Promise<ExitCode> {
  const [first] = argv;
  if (first === "help" && argv.length > 1) return dispatch([...argv.slice(1), "--help"], context);
  if (first === "--help" || first === "-h" || first === "help") return print(overview);
  if (first === undefined && process.stdin.isTTY) {
    process.stderr.write(overview);
    return exitCode.usage;
  }
  const entry = first === undefined ? undefined : commands.get(first);
  if (entry !== undefined) return call(await entry.load(), argv.slice(1), context);
  if (first !== undefined) refuseCommandLike(first);
  return call(await commands.get("run")!.load(), argv, context);
}

async function call(
  entry: Command | CommandGroup,
  argv: readonly string[],
  context: CommandContext,
): Promise<ExitCode> {
  const [verb] = argv;
  const below = isGroup(entry) ? new Map(Object.entries(entry.commands)) : undefined;
  const inner = verb === undefined ? undefined : below?.get(verb);
  if (inner !== undefined) return call(inner, argv.slice(1), context);
  if (asksForHelp(argv)) return print(renderHelp(entry));
  if (isGroup(entry)) throw unknownVerb(entry, verb);
  return entry.run(parseArguments(argv, entry), context);
}

/** A lone lower-case word is a mistyped command, not a prompt worth a model call. */
function refuseCommandLike(word: string): void {
  if (!/^[a-z][a-z-]*$/.test(word)) return;
  const near = nearestWord(word, [...commands.keys(), "help"]);
  throw new UsageError([
    `there is no command '${word}'${near === undefined ? "" : `; did you mean 'basis ${near}'?`}`,
    `a prompt of one word is given as: basis run "${word}"`,
  ]);
}

function unknownVerb({ name, commands: below }: CommandGroup, verb: string | undefined): UsageError {
  const names = Object.keys(below);
  const near = verb === undefined ? undefined : nearestWord(verb, names);
  const hint = near === undefined ? "" : `; did you mean '${near}'?`;
  return new UsageError([
    verb === undefined ? `${name} needs a command` : `there is no command '${name} ${verb}'${hint}`,
    `name one of: ${names.map((each) => `basis ${name} ${each}`).join(", ")}`,
  ]);
}

function print(text: string): ExitCode {
  process.stdout.write(text);
  return exitCode.ok;
}
