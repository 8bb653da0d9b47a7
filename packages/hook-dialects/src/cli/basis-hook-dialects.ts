#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { importDialects } from "../import/import-dialects.ts";

const HELP = `basis-hook-dialects import [FILE...] [--faithful] [--leave-out EVENT-OR-POINTER]...

Writes the hooks of Claude Code, Gemini CLI, Codex, Cursor, Copilot and Windsurf that the working directory has (or those
of the files named) as native hooks: entries in .basis/hooks.json, and what answers for them in .basis/hook-dialects.
Trust the workspace anew afterwards. --version says which release this is. Exit codes: 0 written, 1 settings that cannot be imported whole, 2 wrong arguments.
`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let given;
  try {
    given = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        faithful: { type: "boolean", default: false },
        "leave-out": { type: "string", multiple: true, default: [] },
        help: { type: "boolean", default: false },
        version: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return 2;
  }
  const [command, ...paths] = given.positionals;
  if (given.values.version) {
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  if (given.values.help || command !== "import") {
    (given.values.help ? process.stdout : process.stderr).write(HELP);
    return given.values.help ? 0 : 2;
  }
  return write(paths, given.values);
}

function version(): string {
  const manifest = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}

async function write(
  paths: readonly string[],
  { faithful, "leave-out": leaveOut }: { readonly faithful: boolean; readonly "leave-out": string[] },
): Promise<number> {
  try {
    const files = paths.length === 0 ? undefined : paths.map((path) => ({ path }));
    const level = faithful ? "faithful" : "hardened";
    const { names, leftOut } = await importDialects({ workspace: process.cwd(), files, leaveOut, level });
    for (const name of names) process.stdout.write(`imported ${name}\n`);
    for (const { pointer, why } of leftOut) process.stdout.write(`left out ${pointer}: ${why}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return 1;
  }
}
