import type { JsonObject, JsonValue } from "@basis/core";
import { textOutcome, type Tool, type ToolContext, type ToolOutcome } from "../../src/tools/tool.ts";

/** A tool that remembers what it was run with. */
export interface ProbeTool extends Tool {
  readonly ran: JsonValue[];
}

/** What a probe is, where it differs from a consequential tool that takes `{value: string}`. */
export type ProbeOptions = Partial<Omit<Tool, "execute" | "parallelSafe">> & {
  readonly parallelSafe?: (input: JsonValue) => boolean;
  readonly run?: (input: JsonValue, context: ToolContext) => ToolOutcome | Promise<ToolOutcome>;
};

const inputSchema: JsonObject = {
  type: "object",
  properties: { value: { type: "string", default: "filled in" }, count: { type: "integer" } },
  additionalProperties: false,
};

/** A tool whose effect is that it remembers. It answers `ran NAME` and its input unless `run` says otherwise. */
export function probeTool(name: string, options: ProbeOptions = {}): ProbeTool {
  const ran: JsonValue[] = [];
  const { run, ...facts } = options;
  return {
    name,
    description: `The probe ${name}.`,
    inputSchema,
    effect: "write",
    level: "local_state",
    source: "builtin",
    parallelSafe: () => false,
    ...facts,
    ran,
    async execute(input, context) {
      context.signal.throwIfAborted();
      ran.push(input);
      return run ? run(input, context) : textOutcome(`ran ${name} ${JSON.stringify(input)}`);
    },
  };
}

/** A probe that changes nothing and may run beside others. */
export function readProbe(name: string, options: ProbeOptions = {}): ProbeTool {
  return probeTool(name, { effect: "read", level: "none", parallelSafe: () => true, ...options });
}
