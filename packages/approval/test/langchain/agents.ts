import { Command, MemorySaver } from "@langchain/langgraph";
import * as langchain from "langchain";
import { vi } from "vitest";
import { z } from "zod";
import type { ApprovalAnswer, ApprovalQuestion } from "../../src/langchain/index.ts";

/** The model's calls, by tool name. */
export type Calls = readonly (readonly [name: string, args: Readonly<Record<string, unknown>>])[];

/** What the model read, and what the run waits for. */
export interface Ended {
  readonly read: readonly {
    readonly name: string | undefined;
    readonly status?: string;
    readonly text: string;
  }[];
  readonly questions: readonly ApprovalQuestion[];
}

interface Waiting {
  readonly id: string;
  readonly value: ApprovalQuestion;
}

/** An agent whose model makes `calls` at once and then stops; it can be interrupted and go on. */
export class ScriptedAgent {
  readonly #agent: { invoke(input: unknown, config: object): Promise<unknown> };
  readonly #config = { configurable: { thread_id: "t" } };
  #waiting: readonly Waiting[] = [];

  constructor(tools: readonly object[], middleware: readonly object[], calls: Calls) {
    const model = langchain.fakeModel();
    model.respondWithTools(calls.map(([name, args], n) => ({ name, args, id: `c${n + 1}` })));
    model.respond(new langchain.AIMessage("done"));
    const checkpointer = new MemorySaver();
    this.#agent = langchain.createAgent({ model, tools, middleware, checkpointer } as never) as never;
  }

  go(): Promise<Ended> {
    return this.#invoke({ messages: [new langchain.HumanMessage("go")] });
  }

  /** Goes on with an answer to each question, in order. */
  resume(...answers: readonly Partial<ApprovalAnswer>[]): Promise<Ended> {
    const named = this.#waiting.map(({ id, value }, index) => [
      id,
      { approvalId: value.approvalId, ...answers[index] },
    ]);
    return this.#invoke(new Command({ resume: Object.fromEntries(named) }));
  }

  async #invoke(input: unknown): Promise<Ended> {
    const state = (await this.#agent.invoke(input, this.#config)) as {
      readonly messages: readonly langchain.BaseMessage[];
      readonly __interrupt__?: readonly Waiting[];
    };
    this.#waiting = state.__interrupt__ ?? [];
    const read = state.messages
      .filter((message) => langchain.ToolMessage.isInstance(message))
      .map(({ name, status, text }) => ({ name, ...(status === "error" && { status }), text }));
    return { read, questions: this.#waiting.map(({ value }) => value) };
  }
}

export const ran = vi.fn<(path: string) => void>();

/** A tool that notes what it is run with. */
export function writing(path: z.ZodType = z.string()): langchain.DynamicStructuredTool[] {
  ran.mockClear();
  const schema = z.object({ path });
  const write = langchain.tool((input: { path: string }) => (ran(input.path), `wrote ${input.path}`), {
    name: "write",
    description: "Writes.",
    schema,
  } as never);
  return [write as never];
}
