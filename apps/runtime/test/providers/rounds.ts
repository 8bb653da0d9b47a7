import { systemClock, type Clock } from "@basis/core";
import type { Model, ModelEvent, ModelMessage, ModelRequest } from "../../src/providers/model.ts";

/** A request of one user message, with whatever a test changes about it. */
export function requestOf(change: Partial<ModelRequest> = {}): ModelRequest {
  return {
    agent: "main",
    sessionId: "session-1",
    messages: [{ role: "user", content: "hello" }],
    tools: [],
    toolChoice: { type: "auto" },
    ...change,
  };
}

/** What a round yielded, and what it threw. */
export interface Outcome {
  readonly events: readonly ModelEvent[];
  readonly error?: unknown;
}

/** Runs a round to its end, whatever the end is. */
export async function runRound(model: Model, request: ModelRequest, signal?: AbortSignal): Promise<Outcome> {
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.round(request, signal === undefined ? {} : { signal }))
      events.push(event);
  } catch (error) {
    return { events, error };
  }
  return { events };
}

/** The events of one type. */
export function ofType<Type extends ModelEvent["type"]>(
  events: readonly ModelEvent[],
  type: Type,
): Extract<ModelEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<ModelEvent, { type: Type }> => event.type === type);
}

/** The machine's clock, on which pauses of up to five seconds pass at once. */
export const hurriedClock: Clock = {
  ...systemClock,
  alarm: (delayMs, ring) => systemClock.alarm(delayMs <= 5000 ? 1 : delayMs, ring),
};

/** Waits until something is so. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise<void>((resolve) => setTimeout(resolve, 5));
}

/** An assistant row. */
export function said(text: string): ModelMessage {
  return { role: "assistant", content: [{ type: "text", text }] };
}
