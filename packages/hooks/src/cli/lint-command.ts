import { resolve } from "node:path";
import { isJsonObject, visibleText, type JsonValue } from "@basis/core";
import { realWorkspace, workspaceFileOf } from "../node/workspace-path.ts";
import { jsonOption, type Arguments, type Command, type CommandContext } from "./command.ts";
import { exitCode, UsageError, type ExitCode } from "./exit-code.ts";
import { countOf, lintedToWire, type Finding, type LintedFile } from "./finding.ts";
import { placeOf, placeOptions, type HookPlace } from "./hook-place.ts";
import { counted, inset, jsonText, type Paint } from "./layout.ts";
import { filesOf, lintFiles, type FileToLint } from "./lint-files.ts";
import { readUserDocument, wrongAt } from "./user-document.ts";

type Options = keyof typeof placeOptions | "tools" | "tools-file" | "strict" | "json";

export const lintCommand: Command<Options> = {
  name: "lint",
  about: "check hooks files and what they name, and say everything that is wrong",
  more: [
    "Without FILE, the operator's file and the workspace's. Errors keep a file from being used. Warnings are filters " +
      "that match no tool, programs and files that are missing or cannot be started, code that cannot be pinned, " +
      "names that stand twice, and entries that are never asked. Nothing is run.",
  ],
  words: { shown: "FILE…", about: "hooks files to check", least: 0, most: 1000 },
  options: {
    tools: { value: "a,b,c", about: "the tools that there are" },
    "tools-file": { value: "FILE", about: 'the same as a JSON list of names, or of objects with a "name"' },
    strict: { about: "exit with 1 for warnings too" },
    ...placeOptions,
    json: jsonOption,
  },
  examples: [
    ["basis-hooks lint --tools run,read,write", "check this folder's hooks for use with three tools"],
    ["basis-hooks lint --strict templates/hooks.json", "fail a build for anything doubtful in a file"],
  ],
  async run(args, context): Promise<ExitCode> {
    const given = placeOf(args, context);
    const place: HookPlace = { ...given, workspace: await realWorkspace(given.workspace, context.signal) };
    const named = args.words.map((word): FileToLint => ({
      path: resolve(context.directory, word),
      origin: "named",
    }));
    const knownTools = await readTools(args, context);
    const files = await lintFiles(named.length > 0 ? named : filesOf(place), { place, knownTools });
    context.print(args.has("json") ? jsonText(lintedToWire(files)) : render(files, place, context.paint));
    const isWrong = countOf(files, "error") > 0 || (args.has("strict") && countOf(files, "warning") > 0);
    return isWrong ? exitCode.found : exitCode.ok;
  },
};

async function readTools(
  args: Arguments<Options>,
  { directory, stdin, signal }: CommandContext,
): Promise<readonly string[] | undefined> {
  const list = args.text("tools");
  const path = args.text("tools-file");
  if (list !== undefined && path !== undefined)
    throw new UsageError(["--tools and --tools-file exclude each other"]);
  if (path === undefined) return list?.split(",").map((name) => name.trim());
  const document = await readUserDocument({ path: resolve(directory, path), stdin, signal });
  const names = Array.isArray(document.value)
    ? (document.value as readonly JsonValue[]).map((item) => (isJsonObject(item) ? item["name"] : item))
    : [undefined];
  const wrong = names.findIndex((name) => typeof name !== "string");
  if (wrong < 0) return names as string[];
  throw wrongAt(
    document,
    Array.isArray(document.value) ? `/${wrong}` : "",
    'it must be a list of tool names, or of objects with a "name"',
  );
}

function render(files: readonly LintedFile[], place: HookPlace, paint: Paint): string {
  if (files.length === 0)
    return `nothing to check: there is no operator's hooks.json and no ${visibleText(workspaceFileOf(place.workspace))}\n`;
  const lines = files.flatMap(({ path, findings }) =>
    findings.map((finding) => renderFinding(path, finding, paint)),
  );
  const hooks = files.reduce((sum, { hookCount }) => sum + hookCount, 0);
  const [errors, warnings] = [countOf(files, "error"), countOf(files, "warning")];
  const found =
    errors + warnings === 0
      ? paint.good("nothing wrong")
      : `${counted(errors, "error")}, ${counted(warnings, "warning")}`;
  return `${[...lines, `${counted(files.length, "file")}, ${counted(hooks, "hook")}: ${found}`].join("\n")}\n`;
}

function renderFinding(path: string, finding: Finding, paint: Paint): string {
  const { severity, line, pointer, message, hint } = finding;
  const where = `${visibleText(path)}${line === undefined ? "" : `:${line}`}`;
  const what = severity === "error" ? paint.bad(severity) : paint.doubtful(severity);
  return [
    `${where}: ${what}${pointer === "" ? "" : ` at ${visibleText(pointer)}`}`,
    inset(visibleText(message), 2),
    ...(hint === undefined ? [] : [inset(visibleText(hint), 2)]),
  ].join("\n");
}
