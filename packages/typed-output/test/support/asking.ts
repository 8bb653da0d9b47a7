import {
  defineOutput,
  runOutput,
  type OutputAttempt,
  type OutputOptions,
  type OutputSpec,
} from "../../src/index.ts";
import { createLadderMemory } from "../../src/index.ts";
import {
  scriptedRunner,
  type ScriptedOptions,
  type ScriptedRound,
  type ScriptedRunner,
} from "../../src/testing/index.ts";

export interface Total {
  total: number;
}

export const totalSchema = {
  type: "object",
  properties: { total: { type: "integer", description: "The sum of all lines." } },
  required: ["total"],
  additionalProperties: false,
} as const;

/** A spec whose answer is `{"total": integer}`. */
export const total: OutputSpec<Total> = defineOutput<Total>({
  name: "total",
  description: "The total of the invoice.",
  schema: totalSchema,
});

export const good = '{"total":3}';
export const bad = '{"total":"three"}';

export interface Asked<T> {
  readonly attempt: OutputAttempt<T>;
  readonly runner: ScriptedRunner;
}

/** One `runOutput` on a scripted host, with a memory of its own. */
export async function ask<T = Total>(
  rounds: readonly ScriptedRound[],
  options: OutputOptions & { spec?: OutputSpec<T>; host?: ScriptedOptions } = {},
): Promise<Asked<T>> {
  const { spec = total as unknown as OutputSpec<T>, host, ...rest } = options;
  const runner = scriptedRunner(rounds, host);
  const attempt = await runOutput(runner, spec, "Add it up.", { memory: createLadderMemory(), ...rest });
  return { attempt, runner };
}

/** Every call of the transcript with the number of its results. */
export function resultsPerCall(runner: ScriptedRunner): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const row of runner.transcript) {
    if (row.role === "assistant") for (const id of row.callIds) counts.set(id, counts.get(id) ?? 0);
    if (row.role === "tool") counts.set(row.callId, (counts.get(row.callId) ?? 0) + 1);
  }
  return counts;
}

/** The outputs of the tool rows, in order. */
export function toolTexts(runner: ScriptedRunner): string[] {
  return runner.transcript.flatMap((row) =>
    row.role === "tool" && typeof row.output === "string" ? [row.output] : [],
  );
}

/** What the host said to the model as the user, the prompt left out. */
export function userTexts(runner: ScriptedRunner): string[] {
  return runner.transcript.flatMap((row) => (row.role === "user" ? [row.text] : [])).slice(1);
}
