import type { JsonObject, JsonValue } from "@basis/core";
import {
  createLadderMemory,
  defineOutput,
  streamOutput,
  type OutputOptions,
  type OutputSpec,
  type OutputStreamEvent,
  type StreamOptions,
} from "../../src/index.ts";
import { scriptedRunner, type ScriptedOptions, type ScriptedRound } from "../../src/testing/index.ts";

const item = {
  type: "object",
  properties: { n: { type: "integer" } },
  required: ["n"],
  additionalProperties: false,
};
export const list = defineOutput<JsonValue>({
  name: "list",
  description: "",
  schema: { type: "array", items: item },
});
export const report = defineOutput<JsonObject>({
  name: "report",
  description: "",
  schema: {
    type: "object",
    properties: {
      title: { type: "string" },
      rows: { type: "array", items: item },
      kind: { enum: ["a", "b"] },
    },
    required: ["title"],
    additionalProperties: false,
  },
});

export interface Watched {
  readonly events: readonly OutputStreamEvent<unknown>[];
  readonly runner: ReturnType<typeof scriptedRunner>;
}

/** Reads a streamed run to its end. */
export async function watch(
  spec: OutputSpec<unknown>,
  rounds: readonly ScriptedRound[],
  options: OutputOptions & StreamOptions & { host?: ScriptedOptions } = {},
): Promise<Watched> {
  const { host, ...rest } = options;
  const runner = scriptedRunner(rounds, { pieces: 4, ...host });
  const events: OutputStreamEvent<unknown>[] = [];
  for await (const event of streamOutput(runner, spec, "Go.", { memory: createLadderMemory(), ...rest }))
    events.push(event);
  return { events, runner };
}

export const partials = (events: Watched["events"]): JsonValue[] =>
  events.flatMap((event) => (event.type === "partial" ? [event.value] : []));
export const typesOf = (events: Watched["events"]): string[] =>
  events.map(({ type }) => type).filter((type) => type !== "partial");
