import type { JsonValue } from "@basis/core";
import { describe, expect, it } from "vitest";
import {
  createLadderMemory,
  streamOutput,
  type OutputOptions,
  type OutputStreamEvent,
  type StreamOptions,
  type TerminalGate,
} from "../../src/index.ts";
import { list } from "../support/watching.ts";

const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };

/** Plays one round by hand and reads the stream: the reply comes as `play` says, its last call is settled. */
async function hear(
  play: (gate: TerminalGate, said: (id: string, input: string, tool?: string) => void) => string,
  { by, ...options }: OutputOptions & StreamOptions & { by?: string } = {},
) {
  const host = {
    capabilities: { model: { provider: "x", id: "m" }, tools: true, forced: "named", native: "none" },
    async run({ gate }: { gate: TerminalGate }) {
      gate.offer();
      const say = (toolCallId: string, input: string, toolName = gate.toolName): void =>
        void gate.delta({ toolCallId, toolName, input });
      const input = play(gate, say);
      const call = { toolCallId: "last", toolName: gate.toolName, input };
      const admission = gate.admit([call]);
      const context = by === undefined ? {} : { rewrite: { by, text: input } };
      for (const terminal of admission.terminal) await gate.settle(terminal, context);
      gate.close();
      return { runId: "r", outcome: "completed", usage } as const;
    },
  } as const;
  const events: OutputStreamEvent<JsonValue>[] = [];
  const given = { attempts: 1, memory: createLadderMemory(), ...options };
  for await (const event of streamOutput(host, list, "Go.", given)) events.push(event);
  return events.flatMap((event) => {
    if (event.type === "element") return [event.value];
    if (event.type === "reset") return [`reset ${event.attempt}`];
    return event.type === "result" ? [event.attempt.status] : [];
  });
}

const good = '{"value":[{"n":9}]}';

// cases 85 and 87
describe("of a round's reply", () => {
  it("the first answer alone is followed, and the one that is accepted is told", async () => {
    const told = await hear((_gate, say) => {
      say("first", '{"value":[{"n":1},');
      say("second", '{"value":[{"n":7},{"n":8}]}');
      say("first", '{"n":2}]}');
      return good;
    });
    expect(told).toEqual([{ n: 1 }, { n: 2 }, "reset 2", { n: 9 }, "accepted"]);
  });

  it("what another tool is called with is not read", async () => {
    const told = await hear((_gate, say) => {
      say("first", '{"value":[{"n":5}]}', "other");
      say("last", good);
      return good;
    });
    expect(told).toEqual([{ n: 9 }, "accepted"]);
  });

  it("text beside the call is not read while the answer is asked for as a call", async () => {
    const told = await hear((gate, say) => {
      gate.delta({ text: '{"value":[{"n":5}]}' });
      say("last", good);
      return good;
    });
    expect(told).toEqual([{ n: 9 }, "accepted"]);
  });

  it("a reply that begins anew is told anew, as the same attempt", async () => {
    const told = await hear((gate, say) => {
      say("lost", '{"value":[{"n":1},{"n":2},');
      gate.delta({ restart: true });
      say("last", '{"value":[{"n":1},{"n":3}]}');
      return '{"value":[{"n":1},{"n":3}]}';
    });
    expect(told).toEqual([{ n: 1 }, { n: 2 }, "reset 1", { n: 1 }, { n: 3 }, "accepted"]);
  });

  it("a restart before anything was told says nothing", async () => {
    const told = await hear((gate, say) => {
      gate.delta({ restart: true });
      say("last", good);
      return good;
    });
    expect(told).toEqual([{ n: 9 }, "accepted"]);
  });

  it("a list without its wrapper is told as it comes, an envelope once it was accepted", async () => {
    const bare = await hear((_gate, say) => {
      say("last", '[{"n":1},{"n":');
      say("last", "2}]");
      return '[{"n":1},{"n":2}]';
    });
    expect(bare).toEqual([{ n: 1 }, { n: 2 }, "accepted"]);
    const cut = await hear((_gate, say) => {
      say("last", '[{"n":1},{"n":');
      return '[{"n":1},{"n":';
    });
    expect(cut).toEqual([{ n: 1 }, "truncated"]);
    const enveloped = await hear((_gate, say) => {
      say("last", '{"output":[{"n":1},{"n":2}]}');
      return '{"output":[{"n":1},{"n":2}]}';
    });
    expect(enveloped).toEqual([{ n: 1 }, { n: 2 }, "accepted"]);
    const refused = await hear((_gate, say) => {
      say("last", '{"output":[{"n":"x"}]}');
      return '{"output":[{"n":"x"}]}';
    });
    expect(refused).toEqual(["mismatch"]);
  });

  it("what a hook left in place of the answer is told anew", async () => {
    const told = await hear(
      (_gate, say) => {
        say("last", '{"value":[{"n":1},{"n":2}]}');
        return good;
      },
      { by: "hook" },
    );
    expect(told).toEqual([{ n: 1 }, { n: 2 }, "reset 2", { n: 9 }, "accepted"]);
  });

  it("a piece that cannot be read ends the telling and nothing else", async () => {
    const told = await hear((gate) => {
      gate.delta({ toolCallId: "last", toolName: gate.toolName, input: 5 as never });
      gate.delta(null as never);
      return good;
    });
    expect(told).toEqual([{ n: 9 }, "accepted"]);
  });
});
