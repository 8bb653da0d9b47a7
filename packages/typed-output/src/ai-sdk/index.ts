export { aiSdkRunner, type AiSdkRunnerOptions } from "./ai-sdk-runner.ts";
export type { AiModel, AiMessage } from "./ai-model.ts";
