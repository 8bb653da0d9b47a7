import { exitCode, type ExitCode } from "./exit-code.ts";
import { readLintArguments, UsageError, type LintArguments } from "./lint-arguments.ts";
import { lintFile, type FileFinding } from "./lint-file.ts";
import { renderFindings } from "./render-findings.ts";

/** Where the command line writes. */
export interface CommandOutput {
  print(text: string): void;
  note(text: string): void;
}

const HELP = `typed-output lint FILE… [--provider NAME] [--strict] [--json]

Checks the JSON Schema in each FILE: whether it can be used, which fields have no
description, and what each provider's subset makes of it (the ledger and the limits).
Nothing is sent anywhere.

  --provider NAME   openai, anthropic, gemini or openapi; several with commas; default: all
  --strict          a warning, or anything that is moved or dropped, fails too
  --json            one JSON document on standard output

typed-output --version says which release this is.

exit codes: 0 usable · 1 cannot be said, beyond a limit, or with --strict any loss
            2 the arguments make no sense · 5 a file is unreadable or no usable schema
`;

/** Runs the command line; answers the exit code. Never throws. */
export async function runCommandLine(argv: readonly string[], output: CommandOutput): Promise<ExitCode> {
  const [command, ...rest] = argv;
  const asksHelp = [command, ...rest].some((word) => word === "--help" || word === "-h");
  if (asksHelp || command === "help") {
    output.print(HELP);
    return exitCode.ok;
  }
  if (command === "--version") {
    output.print(`${await version()}\n`);
    return exitCode.ok;
  }
  try {
    if (command !== "lint") throw new UsageError("there is one command: lint; see: typed-output --help");
    return await runLint(readLintArguments(rest), output);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    output.note(message);
    if (rest.includes("--json")) output.print(`${JSON.stringify({ error: { code: "usage", message } })}\n`);
    return exitCode.usage;
  }
}

async function version(): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  const manifest = new URL("../../package.json", import.meta.url);
  const { version: own } = JSON.parse(await readFile(manifest, "utf8")) as { version: string };
  return own;
}

async function runLint(asked: LintArguments, output: CommandOutput): Promise<ExitCode> {
  const findings = await Promise.all(asked.files.map((file) => lintFile(file, asked)));
  output.print(
    asked.json ? `${JSON.stringify({ files: findings }, undefined, 2)}\n` : renderFindings(findings),
  );
  if (findings.some(({ error }) => error)) return exitCode.refused;
  return findings.some((finding) => isBad(finding, asked.strict)) ? exitCode.found : exitCode.ok;
}

function isBad({ warnings, providers }: FileFinding, strict: boolean): boolean {
  if (strict && warnings.length > 0) return true;
  return providers.some(
    ({ unsupported, limits, ledger }) =>
      unsupported.length > 0 || limits.some(({ exceeded }) => exceeded) || (strict && ledger.length > 0),
  );
}
