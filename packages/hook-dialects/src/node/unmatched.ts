import type { DialectCall } from "../bridge/dialect.ts";
import { findDialect } from "../bridge/dialects.ts";
import { viewTool, type ToolAlias, type ToolView } from "../bridge/tool-alias.ts";
import type { ReadFile } from "./settings-files.ts";

/** Reports every hook whose matcher means none of the tools there are: it would never be asked. */
export function warnOfUnmatched(
  files: readonly ReadFile[],
  options: {
    readonly workspace: string;
    readonly knownTools?: readonly string[] | undefined;
    readonly aliases: Readonly<Record<string, ToolAlias>>;
    readonly report: (message: string) => void;
  },
): void {
  const { knownTools, workspace, aliases, report } = options;
  if (knownTools === undefined) return;
  for (const { dialect: name, path, hooks } of files) {
    const dialect = findDialect(name)!;
    const calls = knownTools.map((toolName) => {
      const view = viewTool(dialect.tools, aliases, { toolName, toolSource: undefined, workspace });
      return sampleCall(view);
    });
    for (const hook of hooks) {
      const failed = hook.event === "PostToolUseFailure";
      const result = hook.moment === "pre_tool_use" ? undefined : { output: "", isError: failed };
      if (calls.some((call) => dialect.matches({ ...hook, condition: undefined }, { ...call, result })))
        continue;
      report(
        `hook '${hook.name}' of ${path} is never asked: its matcher '${hook.matcher ?? ""}' means no tool there is`,
      );
    }
  }
}

function sampleCall({ name: toolName, names, kind, server }: ToolView): DialectCall {
  const facts = { toolCallId: "", agentId: "", isChild: false, cwd: "", now: 0, result: undefined };
  return { toolName, names, kind, server, input: {}, ...facts };
}
