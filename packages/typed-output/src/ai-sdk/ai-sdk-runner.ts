import { unusable, type AiModel } from "../model-turn/ai-model.ts";
import { modelRunner, type ModelRunnerOptions } from "../model-turn/model-runner.ts";
import type { TurnRunner } from "../turn-runner.ts";

/** What a runner is made of. */
export type AiSdkRunnerOptions = ModelRunnerOptions;

/**
 * A `TurnRunner` that drives a language model of the AI SDK, v3 (ai 6) or v4 (ai 7), at its provider's interface: the
 * model's arguments are read as it wrote them, which ai's own loop does not show. Requests are not repeated.
 *
 * @throws OutputError `unusable_host` for a model of another version, or a tool that runs elsewhere.
 */
export function aiSdkRunner(options: AiSdkRunnerOptions): TurnRunner {
  return modelRunner({ ...options, model: usableModel(options.model) });
}

function usableModel(model: AiModel | string): AiModel {
  if (typeof model === "string")
    throw unusable("model", `'${model}' is a name: pass a model of a provider package, such as openai("…")`);
  const { specificationVersion: version } = model;
  if (version === "v3" || version === "v4") return model;
  throw unusable(
    "model",
    `it is of version ${version}, and @basis/typed-output/ai-sdk needs v3 or v4: providers for ai 6 or 7`,
  );
}
