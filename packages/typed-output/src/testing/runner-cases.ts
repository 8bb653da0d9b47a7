import { defineOutput } from "../output-spec.ts";
import type { OutputOptions } from "../output-options.ts";
import type { OutputAttempt } from "../output-result.ts";
import { runOutput } from "../run-output.ts";
import type { TurnRunner } from "../turn-runner.ts";
import type { ScriptedRound, ScriptedTool } from "./script.ts";

/** What a runner under test is made of: the model's replies and the host's tools. */
export interface CaseScript {
  readonly rounds: readonly ScriptedRound[];
  readonly tools: Readonly<Record<string, ScriptedTool>>;
}

/** One scenario that every binding must carry out. */
export interface RunnerCase {
  /** A sentence in the present tense, for a test's name. */
  readonly name: string;
  /** Plays the scenario on a runner made for its script; throws when it does not go as it must. */
  play(makeRunner: (script: CaseScript) => TurnRunner): Promise<void>;
}

interface Scenario {
  readonly name: string;
  readonly rounds: readonly ScriptedRound[];
  readonly working?: boolean;
  readonly options?: OutputOptions;
  /** The run is cancelled while its tool runs for the first time. */
  readonly cancelled?: boolean;
  readonly expect: (attempt: OutputAttempt<{ total: number }>, ran: readonly string[]) => readonly boolean[];
}

const lookUp = { name: "look_up", input: {} };
const answer = '{"total":3}';

const scenarios: readonly Scenario[] = [
  {
    name: "a working run calls a tool and then answers, in one run",
    working: true,
    rounds: [{ calls: [lookUp] }, { terminal: answer }],
    expect: (attempt, ran) => [accepted(attempt, 3), ran.join() === "look_up"],
  },
  {
    name: "a working run that ends in prose is reminded and answers",
    working: true,
    rounds: [{ text: "All done." }, { terminal: answer }],
    expect: (attempt) => [accepted(attempt, 3), attempt.plan.closing === 1],
  },
  {
    name: "of two terminal calls in a round the first good one is the answer",
    rounds: [{ calls: [output("no"), output(3), output(4)] }],
    expect: (attempt) => [accepted(attempt, 3), attempt.attempts.length === 2],
  },
  {
    name: "one attempt is never asked again",
    rounds: [{ terminal: '{"total":"no"}' }, { terminal: answer }],
    options: { attempts: 1 },
    expect: (attempt) => [attempt.status === "mismatch", attempt.attempts.length === 1],
  },
  {
    name: "a run that is cancelled while a tool runs starts no other tool, and asks nothing more",
    working: true,
    cancelled: true,
    rounds: [{ calls: [lookUp, lookUp, output(3), lookUp] }, { terminal: answer }],
    options: { siblings: "veto" },
    expect: (attempt, ran) => [attempt.status === "cancelled", ran.length === 1],
  },
  {
    name: "a refusal ends the run as refused, without another request",
    rounds: [{ text: "I will not.", finish: "refusal" }, { terminal: answer }],
    expect: (attempt) => [
      attempt.status === "refused" && attempt.text === "I will not.",
      attempt.attempts.length === 0,
    ],
  },
  {
    name: "a cut answer is truncated and never repaired",
    rounds: [{ terminal: '{"total":3', finish: "length" }, { terminal: answer }],
    expect: (attempt) => [attempt.status === "truncated", attempt.report !== undefined],
  },
];

function output(total: number | string): { name: string; input: { total: number | string } } {
  return { name: "$output", input: { total } };
}

function accepted(attempt: OutputAttempt<{ total: number }>, total: number): boolean {
  return attempt.status === "accepted" && attempt.value.total === total;
}

/** The scenarios that every binding to a host must pass: one test each, by `play`. */
export function runnerCases(): readonly RunnerCase[] {
  return scenarios.map((scenario) => ({
    name: scenario.name,
    play: async (makeRunner) => {
      const ran: string[] = [];
      const canceller = new AbortController();
      const look_up = (): number => {
        if (scenario.cancelled === true) canceller.abort();
        return ran.push("look_up");
      };
      const tools = { look_up };
      const shaping = defineOutput<{ total: number }>({ name: "total", description: "The total.", schema });
      const spec = scenario.working === true ? shaping.withTools() : shaping;
      const runner = makeRunner({ rounds: scenario.rounds, tools });
      const attempt = await runOutput(runner, spec, "Add it up.", {
        signal: canceller.signal,
        ...scenario.options,
      });
      if (scenario.expect(attempt, ran).every(Boolean)) return;
      throw new Error(`${scenario.name}: ended as ${JSON.stringify(attempt)}`);
    },
  }));
}

const schema = {
  type: "object",
  properties: { total: { type: "integer", description: "The sum." } },
  required: ["total"],
  additionalProperties: false,
};
