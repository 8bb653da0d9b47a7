import {
  runOutput,
  streamOutput,
  type AttemptRecord,
  type OutputAttempt,
  type OutputOptions,
  type OutputSpec,
  type OutputStream,
  type StreamOptions,
  type TurnRunner,
} from "@basis/typed-output";
import { WORDLESS } from "../agent/typed/typed-runner.ts";
import { wordsOf, type PromptInput } from "../images/prompt.ts";
import { outputSchema } from "./output-schema.ts";
import type { PreparedTurn } from "./prepared-turn.ts";

/** Turns that answer with a checked value; without a prompt such a turn goes on where it waits. */
export interface TypedOutputs {
  /** Runs the turn to its end. */
  output<T>(
    spec: OutputSpec<T>,
    prompt: PromptInput | undefined,
    options?: OutputOptions,
  ): Promise<OutputAttempt<T>>;
  /**
   * Begins the turn, and tells partial values and elements of its answer while it is written. With `stopDoomed` an
   * answer that is certain to be refused is ended early; what it used is then known in part.
   *
   * @throws TypeError or OutputError `definition_error` when `elements` leads to no list of the schema.
   */
  stream<T>(
    spec: OutputSpec<T>,
    prompt: PromptInput | undefined,
    options?: OutputOptions & StreamOptions,
  ): Promise<OutputStream<T>>;
}

/** The typed turns of a prepared run. */
export function typedOutputs(turn: PreparedTurn): TypedOutputs {
  return {
    async output(spec, prompt, given = {}) {
      const { runner, options } = await typedRun(turn, spec, { prompt, given });
      return turn.cancellable(given.signal, (signal) =>
        runOutput(runner, spec, asked(prompt), { ...options, signal }),
      );
    },
    async stream(spec, prompt, given = {}) {
      const { runner, options } = await typedRun(turn, spec, { prompt, given });
      return new Promise((resolve, reject) => {
        const work = async (signal: AbortSignal): Promise<void> => {
          const stream = streamOutput(runner, spec, asked(prompt), { ...options, signal });
          resolve(stream);
          await stream.result;
        };
        turn.cancellable(given.signal, work).catch(reject);
      });
    },
  };
}

interface TypedAsk<Given> {
  readonly prompt: PromptInput | undefined;
  readonly given: Given;
}

async function typedRun<Given extends OutputOptions>(
  turn: PreparedTurn,
  spec: OutputSpec<unknown>,
  { prompt, given }: TypedAsk<Given>,
): Promise<{ readonly runner: TurnRunner; readonly options: Given & OutputOptions }> {
  const goesOn = prompt === undefined;
  const waited = goesOn ? await turn.waitingOutput() : undefined;
  const attemptsUsed = given.attemptsUsed ?? waited?.attempts ?? 0;
  const output = { schema: outputSchema(spec), attempts: attemptsUsed };
  const images = typeof prompt === "object" ? prompt.images : [];
  const typed = await turn.typed({ spec, goesOn, output, images });
  const options = {
    ...given,
    attemptsUsed,
    bounds: { ...turn.bounds, ...given.bounds },
    onAttempt(record: AttemptRecord, value?: unknown) {
      typed.onAttempt(record, value);
      given.onAttempt?.(record, value);
    },
  };
  return { runner: typed.runner, options };
}

/** The words of the question; where it has none, something that nobody is sent. */
function asked(prompt: PromptInput | undefined): string {
  const words = prompt === undefined ? "" : wordsOf(prompt);
  return words === "" ? WORDLESS : words;
}
