import { Runner, setTracingDisabled, Usage, type Agent, type Model, type ModelRequest } from "@openai/agents";

setTracingDisabled(true);

/** A call that the scripted model makes. */
export interface ScriptedCall {
  readonly name: string;
  /** A text is sent as it is. */
  readonly input: unknown;
  readonly callId?: string;
  readonly namespace?: string;
}

/** One reply of the scripted model: calls, or a text that ends the run. */
export type Reply = string | readonly ScriptedCall[];

function outputOf(reply: Reply, round: number): object[] {
  if (typeof reply === "string") {
    const content = [{ type: "output_text", text: reply }];
    return [{ type: "message", role: "assistant", status: "completed", content }];
  }
  return reply.map(({ name, input, callId, namespace }, index) => ({
    type: "function_call",
    callId: callId ?? `call-${round}-${index}`,
    name,
    ...(namespace !== undefined && { namespace }),
    status: "completed",
    arguments: typeof input === "string" ? input : JSON.stringify(input),
  }));
}

/** A model that gives these replies in order, then "done", and keeps what it was asked. */
export function scripted(...replies: readonly Reply[]): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const next = (request: ModelRequest) => {
    requests.push(structuredClone({ ...request, signal: undefined }) as object as ModelRequest);
    const output = outputOf(replies[requests.length - 1] ?? "done", requests.length);
    return { usage: new Usage(), output } as Awaited<ReturnType<Model["getResponse"]>>;
  };
  return {
    requests,
    getResponse: async (request) => next(request),
    async *getStreamedResponse(request) {
      const { output } = next(request);
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
      yield { type: "response_done", response: { id: "r", usage, output } } as never;
    },
  };
}

/** The results that the model read, in order. */
export function readBy({ requests }: { readonly requests: readonly ModelRequest[] }): unknown[] {
  const rows = (requests.at(-1)?.input ?? []) as readonly { type?: string; output?: unknown }[];
  return rows
    .filter(({ type }) => type === "function_call_result")
    .map(({ output }) => (output as { text?: unknown })?.text ?? output);
}

/** Runs an agent once, without tracing. */
export function run(agent: Agent<never, never> | object, input: unknown = "go") {
  return new Runner({ tracingDisabled: true }).run(agent as Agent, input as string);
}
