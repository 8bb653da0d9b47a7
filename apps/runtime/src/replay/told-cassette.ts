import { textOf, callsOf } from "../agent/transcript/tool-message.ts";
import { short, type EventLine } from "../cli/terminal/event-line.ts";
import type { ModelMessage } from "../providers/model.ts";
import type { Cassette, RecordedRound } from "../providers/cassette/read-cassette.ts";
import { inWords } from "../agent/transcript/told-message.ts";
import { plainOutput } from "../providers/plain-output.ts";

const MAX_TEXT = 2000;

/** A recording as lines: each round with what was new in its request, and what was answered. */
export function* toldCassette({ rounds }: Cassette): Generator<EventLine> {
  const seen = new Map<number, number>();
  for (const round of rounds) {
    const { agent, model } = round.head;
    yield {
      label: "round",
      tone: "note",
      text: `${round.round} of ${agent} on ${model.provider}/${model.id}, session ${round.stream + 1}`,
    };
    const known = Math.min(seen.get(round.stream) ?? 0, round.messages.length);
    for (const message of round.messages.slice(known)) {
      const line = messageLine(message);
      if (line !== undefined) yield line;
    }
    // Its own answer stands at this place in the next request.
    seen.set(round.stream, round.messages.length + 1);
    yield* answerLines(round);
  }
}

function messageLine(message: ModelMessage): EventLine | undefined {
  switch (message.role) {
    case "tool":
      return {
        label: "result",
        tone: "plain",
        text: short(
          message.content.map(({ output }) => short(plainOutput(output), MAX_TEXT)).join(" "),
          MAX_TEXT,
        ),
      };
    case "assistant":
      return undefined;
    default:
      return { label: "user", tone: "plain", text: short(inWords(message), MAX_TEXT) };
  }
}

function* answerLines({ events, error }: RecordedRound): Generator<EventLine> {
  for (const event of events) {
    if (event.type !== "finish") continue;
    const text = textOf(event.message);
    if (text !== "") yield { label: "model", tone: "good", text: short(text, MAX_TEXT) };
    for (const { toolName, inputJson } of callsOf(event.message))
      yield { label: "call", tone: "plain", text: `${toolName} ${short(inputJson, MAX_TEXT)}` };
  }
  if (error !== undefined)
    yield { label: "failed", tone: "bad", text: `${error.code}: ${short(error.message, 400)}` };
}
