export { aiSdkRunner, type AiSdkRunnerOptions } from "./ai-sdk-runner.ts";
export type { AiModel, AiMessage } from "../model-turn/ai-model.ts";
