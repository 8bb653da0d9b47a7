import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CassetteRecorder } from "../../../src/providers/cassette/cassette-recorder.ts";
import { cassetteSource } from "../../../src/providers/cassette/cassette-source.ts";
import { parseCassette } from "../../../src/providers/cassette/read-cassette.ts";
import type { Model, ModelMessage, ModelRequest } from "../../../src/providers/model.ts";
import { isModelError, ModelError } from "../../../src/providers/model-error.ts";
import type { ModelSource } from "../../../src/providers/model-source.ts";
import {
  answerOf,
  ask,
  modelOf,
  known,
  PASSPHRASE,
  PASSWORD,
  record,
  SECRET,
  sourceOf,
  written,
} from "./recording.ts";

const play = (text: string): ModelSource => cassetteSource(parseCassette(text, "c.jsonl"), known);

async function missOf(work: Promise<unknown>): Promise<ModelError<"cassette_miss">> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isModelError(error) || error.code !== "cassette_miss") throw new Error(`no miss: ${String(error)}`);
  return error;
}

describe("a cassette", () => {
  it("answers what was recorded, under the recorded name, whatever the session is called", async () => {
    const text = await record(
      modelOf(({ messages }) => ["to ", JSON.stringify(messages[0]!.content)]),
      async (model) => {
        await answerOf(model, ask("a"));
        await answerOf(model, ask("b"));
      },
    );
    const { main } = play(text);
    expect(main.ref).toEqual({ provider: "acme", id: "m" });
    expect(main.capabilities).toEqual({ forcedChoice: "required", nativeSchema: true });
    expect(await answerOf(main, ask("b", { sessionId: "other", member: "x" }))).toBe('to "b"');
    expect(await answerOf(main, ask("a", { sessionId: "third" }))).toBe('to "a"');
  });

  it("gives whoever asks alike the answers of one recorded session each, in the order of asking", async () => {
    let count = 0;
    const text = await record(
      modelOf(() => [`answer ${(count += 1)}`]),
      async (model) => {
        const first = ask("twin", { sessionId: "one" });
        const second = ask("twin", { sessionId: "two" });
        await Promise.all([answerOf(model, first), answerOf(model, second)]);
        for (const sessionId of ["two", "one"]) await answerOf(model, ask("more", { sessionId }));
      },
    );
    const rounds = parseCassette(text, "c").rounds.map(({ stream, events }) => [
      stream,
      (events[0] as { delta: string }).delta,
    ]);
    expect(rounds).toEqual([
      [0, "answer 1"],
      [1, "answer 2"],
      [1, "answer 3"],
      [0, "answer 4"],
    ]);
    // Whichever goes on first: each hears what its own twin had heard.
    for (const order of [
      ["x", "y"],
      ["y", "x"],
    ] as const) {
      const { main } = play(text);
      const heard = new Map<string, string[]>([
        ["x", []],
        ["y", []],
      ]);
      for (const id of ["x", "y"] as const)
        heard.get(id)!.push(await answerOf(main, ask("twin", { sessionId: id })));
      for (const id of order) heard.get(id)!.push(await answerOf(main, ask("more", { sessionId: id })));
      expect(Object.fromEntries(heard)).toEqual({ x: ["answer 1", "answer 4"], y: ["answer 2", "answer 3"] });
    }
  });

  it("holds no secret, not even one that came in two pieces, in Base64 or as a name", async () => {
    const encoded = Buffer.from(SECRET).toString("base64");
    const text = await record(
      modelOf(() => ["it is sk-live-", "0123456789", ` or ${encoded}`]),
      async (model) => {
        const input = { [SECRET]: encodeURIComponent(SECRET) };
        const inputSchema = { type: "object", default: input };
        await answerOf(
          model,
          ask(`my key is ${SECRET}`, {
            system: SECRET,
            tools: [{ name: "t", description: SECRET, inputSchema }],
          }),
        );
      },
    );
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain(encoded.replace(/=+$/, ""));
    expect(text).toContain("[redacted ACME_API_KEY]");
    // Whoever has the secret still asks the same; a short value is a word.
    const { main } = play(
      await record(
        modelOf(() => ["fine abc"]),
        (model) => answerOf(model, ask(SECRET)),
      ),
    );
    expect(await answerOf(main, ask(SECRET))).toBe("fine abc");
  });

  it("holds nothing that is a secret in any other sink, by whichever variable", async () => {
    const both = `${PASSPHRASE} and ${PASSWORD}`;
    const text = await record(
      modelOf(() => [`it is ${both}`]),
      (model) => answerOf(model, ask(both, { system: both })),
    );
    expect(text).not.toContain(PASSPHRASE);
    expect(text).not.toContain(PASSWORD);
    expect(text.match(/\[redacted DOOR_PASSPHRASE\] and \[redacted DATABASE_URL\]/g)).toHaveLength(4);
  });

  it("tells a miss loudly, with the nearest round and the first field that differs", async () => {
    const two: readonly ModelMessage[] = [
      { role: "user", content: "go" },
      { role: "assistant", content: "x".repeat(100) + "yes" },
    ];
    const text = await record(
      modelOf(() => ["ok"]),
      async (model) => {
        await answerOf(model, ask("go"));
        await answerOf(model, ask("go", { messages: two }));
      },
    );
    const { main, open } = play(text);
    const other = [two[0]!, { role: "assistant" as const, content: "x".repeat(100) + "no" }];
    const cases: readonly (readonly [Partial<ModelRequest>, string, string])[] = [
      [{ agent: "child" }, "agent", 'recorded "main", asked "child"'],
      [{ system: "You help. A lot." }, "system", 'recorded "You help.", asked "You help. A lot."'],
      [
        { tools: [{ name: "list", description: "lists", inputSchema: {} }] },
        "tools",
        "read is gone, list is new",
      ],
      [{ messages: other }, "messages/1", "yes"],
      [{ messages: [] }, "messages/0", "asked nothing"],
      [{ toolChoice: { type: "none" } }, "tool_choice", '"none"'],
      [{ maxOutputTokens: 5 }, "max_output_tokens", "recorded nothing, asked 5"],
      [{ responseFormat: { name: "r", schema: {} } }, "response_format", "recorded nothing"],
    ];
    for (const [change, field, told] of cases) {
      const miss = await missOf(answerOf(main, ask("go", change)));
      expect(miss.details.field).toBe(field);
      expect(miss.message).toContain(`which differs in ${field}`);
      expect(miss.message).toContain(told);
      expect(miss.retryable).toBe(false);
    }
    const miss = await missOf(answerOf(open({ provider: "acme", id: "bigger" }), ask("go")));
    expect(miss.details).toMatchObject({ field: "model", round: 0 });
    const empty = await missOf(
      answerOf(
        play(
          await record(
            modelOf(() => []),
            async () => undefined,
          ),
        ).main,
        ask("go"),
      ),
    );
    expect(empty.message).toContain("it holds no round at all");
  });

  it("fails again as it failed, is not retried, and keeps nothing of a round that was cut off", async () => {
    const failing: Model = {
      ...modelOf(() => []),
      async *round() {
        yield* [];
        throw new ModelError("overloaded", `no room for ${SECRET}`, { details: { status: 529 } });
      },
    };
    const recorder = new CassetteRecorder(known);
    const { main } = recorder.record(sourceOf(failing));
    await expect(answerOf(main, ask("a"))).rejects.toThrow("no room");
    const played = play(await written(recorder)).main;
    await expect(answerOf(played, ask("a"))).rejects.toMatchObject({
      code: "overloaded",
      retryable: false,
      message: expect.stringContaining("no room for [redacted ACME_API_KEY] (recorded in c.jsonl:") as string,
    });
    const cut = await record(
      modelOf(() => ["a", "b"]),
      async (model) => {
        for await (const event of model.round(ask("a"))) if (event.type === "text") break;
      },
    );
    expect(parseCassette(cut, "c").rounds).toEqual([]);
  });

  it("is read back as it was written, whatever was said", async () => {
    const texts = fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(texts, async (said) => {
        const text = await record(
          modelOf(({ messages }) => [JSON.stringify(messages.length), "!"]),
          async (model) => {
            let messages: readonly ModelMessage[] = [];
            for (const each of said) {
              messages = [...messages, { role: "user", content: each }];
              await answerOf(model, ask("", { messages }));
            }
          },
        );
        const { rounds } = parseCassette(text, "c");
        expect(rounds.at(-1)!.messages.map(({ content }) => content)).toEqual(said);
      }),
      { numRuns: 50 },
    );
  });
});
