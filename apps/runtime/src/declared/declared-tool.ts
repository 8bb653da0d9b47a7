import { visibleText, type JsonObject, type JsonValue } from "@basis/core";
import type { Environment } from "../config/data-dir.ts";
import { pinGrant, type GrantPlace, type PinnedGrant } from "../config/grant.ts";
import { grantProblem } from "../config/workspace-grants.ts";
import { fileDigests } from "../tools/file-digests.ts";
import { baselineEnvironment } from "../tools/run-process.ts";
import { commandOutcome, runArgv } from "../tools/run-tool.ts";
import { ToolFailure, type PreparedCall, type Tool } from "../tools/tool.ts";
import { fillTemplate, readWord, type TemplateWord } from "./argv-template.ts";
import type { DeclaredSettings } from "./tools-file.ts";

/** A tool of `.basis/tools.json`, pinned as it stands now. */
export interface AskedTool {
  readonly settings: DeclaredSettings;
  readonly pinned: PinnedGrant;
}

/** Pins a declared tool: every field, and the code that its literal words name. */
export async function pinTool(settings: DeclaredSettings, place: GrantPlace): Promise<AskedTool> {
  const { name, env, files } = settings;
  const command = wordsOf(settings).flatMap(({ pieces, spread }) =>
    spread !== undefined || pieces.some((piece) => "value" in piece)
      ? []
      : [pieces.map((piece) => ("literal" in piece ? piece.literal : "")).join("")],
  );
  const form = { ...settings } as unknown as JsonObject;
  const request = {
    kind: "tool",
    name,
    settings: form,
    variables: env,
    program: { command, files, env },
  } as const;
  return { settings, pinned: await pinGrant(request, place) };
}

/**
 * A declared tool as the dispatcher knows it: one program without a shell, with the values of the call in the places
 * that the file gives them. What runs is looked at again before each call. Its effect is a command whatever it says.
 */
export function declaredTool(asked: AskedTool, place: DeclaredPlace): Tool {
  const { settings, pinned } = asked;
  const { name, description, input, level, timeoutMs } = settings;
  const words = wordsOf(settings);
  const prepare = (given: JsonValue): PreparedCall => preparedCall(asked, place, fillTemplate(words, given));
  return {
    name,
    description: visibleText(description, { maxChars: 4_096, multiline: true }),
    inputSchema: input,
    effect: "command",
    level,
    source: "declared",
    identity: pinned.grant.digest,
    timeoutMs,
    parallelSafe: () => false,
    prepare: async (given) => prepare(given),
    execute: (given, context) => prepare(given).execute(context),
  };
}

/** Where declared tools run. */
export interface DeclaredPlace extends GrantPlace {
  /** False when they were never pinned: `trust: "run"`. */
  readonly verify: boolean;
}

/** The very words are shown and approved. */
function preparedCall(
  { settings, pinned }: AskedTool,
  place: DeclaredPlace,
  argv: readonly string[],
): PreparedCall {
  const { workspace: root, env: host, verify } = place;
  return {
    preview: { argv: [...argv] },
    evidence: () => fileDigests(root, argv),
    async execute(context) {
      const problem = verify ? await grantProblem(pinned, place) : undefined;
      if (problem !== undefined)
        throw new ToolFailure(
          `'${settings.name}' is not what was trusted any more and is not run: ${problem}`,
        );
      const [program = "", ...args] = argv;
      const env = { ...grantedVariables(settings, host), ...baselineEnvironment(host, root) };
      const command: [string, ...string[]] = [pinned.programPath ?? program, ...args];
      return commandOutcome(await runArgv(command, { root, env }, context));
    },
  };
}

function wordsOf({ argv }: DeclaredSettings): readonly TemplateWord[] {
  return argv.map((text) => {
    const reading = readWord(text);
    if (!reading.ok) throw new Error(reading.problem);
    return reading.word;
  });
}

/** The variables that the file names and the user granted. */
function grantedVariables({ env: names }: DeclaredSettings, env: Environment): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
