import type { ModelRef } from "@basis/core";
import { CassetteRecorder } from "../../../src/providers/cassette/cassette-recorder.ts";
import type { Model, ModelEvent, ModelMessage, ModelRequest } from "../../../src/providers/model.ts";
import type { ModelSource } from "../../../src/providers/model-source.ts";
import { addEnvironment } from "../../../src/secrets/environment-secrets.ts";
import { Secrets } from "../../../src/secrets/secrets.ts";

export const SECRET: string = "sk-live-0123456789";
export const PASSPHRASE: string = "hold my door open";
export const PASSWORD: string = "p4ssw0rd-of-store";
export const known: Secrets = new Secrets();
addEnvironment(known, {
  ACME_API_KEY: SECRET,
  SHORT_KEY: "abc",
  DOOR_PASSPHRASE: PASSPHRASE,
  DATABASE_URL: `postgres://me:${PASSWORD}@db/x`,
});

/** A model whose answer to each question is a function. */
export function modelOf(answer: (request: ModelRequest) => readonly string[], id = "m"): Model {
  return {
    ref: { provider: "acme", id },
    capabilities: { forcedChoice: "required", nativeSchema: true },
    async *round(request): AsyncGenerator<ModelEvent> {
      const deltas = answer(request);
      for (const delta of deltas) yield { type: "text", delta };
      const message = {
        role: "assistant" as const,
        content: [{ type: "text" as const, text: deltas.join("") }],
      };
      const usage = { inputTokens: 1, outputTokens: 2, cachedInputTokens: 0, reasoningTokens: 0 };
      yield { type: "finish", finishReason: "stop", usage, message };
    },
  };
}

export const sourceOf = (main: Model): ModelSource => ({
  main,
  open: (ref: ModelRef) => modelOf(() => ["other"], ref.id),
  isRegistered: () => true,
});

export function ask(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  const messages: readonly ModelMessage[] = [{ role: "user", content: text }];
  const tools = [{ name: "read", description: "reads", inputSchema: { type: "object" } }];
  return {
    agent: "main",
    sessionId: "s",
    system: "You help.",
    messages,
    tools,
    toolChoice: { type: "auto" },
    ...more,
  };
}

export async function answerOf(model: Model, request: ModelRequest): Promise<string> {
  let text = "";
  for await (const event of model.round(request)) {
    // As the loop does, which does not come back after the last event.
    if (event.type === "finish") break;
    if (event.type === "text") text += event.delta;
  }
  return text;
}

export async function written(recorder: CassetteRecorder): Promise<string> {
  let text = "";
  for await (const line of recorder.lines()) text += line;
  return text;
}

/** What was recorded while `use` asked. */
export async function record(main: Model, use: (model: Model) => Promise<unknown>): Promise<string> {
  const recorder = new CassetteRecorder(known);
  await use(recorder.record(sourceOf(main)).main);
  return written(recorder);
}
