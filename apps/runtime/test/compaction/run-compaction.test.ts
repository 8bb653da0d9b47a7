import { describe, expect, test } from "vitest";
import { imageOf } from "../../src/images/image.ts";
import { ModelError } from "../../src/providers/model-error.ts";
import type { ModelRequest } from "../../src/providers/model.ts";
import type { HostStore } from "../../src/store/host-store.ts";
import { calls, stateKinds } from "../harness/test-host.ts";
import { png } from "../harness/pictures.ts";
import { said, compactingHost, compactionEvents, long, longTurns, shapeOf, talk } from "./compacting.ts";

/** A provider that reads no more than so many characters of messages. */
function reads(most: number, agent = "main") {
  return (request: ModelRequest): void => {
    if (request.agent === agent && JSON.stringify(request.messages).length > most)
      throw new ModelError("context_length", "too long", { details: { status: 400 } });
  };
}

describe.each(stateKinds)("a turn whose requests grow too long (%s)", (state) => {
  test("is compacted before the request that would pass the threshold, with the prompt kept", async () => {
    const host = await compactingHost(longTurns(5, 400), undefined, { state, compactAt: 1900 });
    const sessionId = await talk(host, ["first", "second", "third", "fourth"]);
    const [started, finished, ...more] = await compactionEvents(host, sessionId);
    expect(more).toEqual([]);
    expect(started).toMatchObject({ type: "compaction_started", data: { trigger: "threshold" } });
    expect(finished).toMatchObject({ type: "compaction_finished", run: started!.run });
    const shapes = host.models.of("main").map(shapeOf);
    const at = shapes.findIndex(([first]) => first === "summary");
    expect(shapes.slice(0, at).every(([first]) => first === "user:first")).toBe(true);
    expect(shapes.at(-1)).toContain("user:fourth");
    const { tokens_after: after } = finished!.data as { tokens_after: number };
    expect(after).toBeLessThan(1900);
  });

  test("is rolled back with its compaction when it is cancelled, and the one before it stays", async () => {
    let cancel = (): void => undefined;
    const host = await compactingHost(longTurns(6, 400), undefined, {
      state,
      compactAt: 1600,
      onRequest: ({ agent, messages }) => {
        if (agent === "main" && messages.at(-1)!.role === "tool") cancel();
      },
    });
    const sessionId = await talk(host, ["first", "second"]);
    await host.runtime.compact({ sessionId, keep: { unit: "turns", count: 1 } });
    const before = await host.state.store.contextMark(sessionId);
    const { len } = await host.state.store.head(sessionId);
    await talk(host, ["third"], sessionId);
    const prepared = await host.runtime.prepare(host.facts, { sessionId });
    cancel = () => prepared.cancel();
    const { headDigest } = await host.state.store.head(sessionId);
    expect((await prepared.run("fourth")).outcome).toBe("cancelled");
    cancel = () => undefined;
    const triggers = (await compactionEvents(host, sessionId)).map(({ type, data }) => [
      type,
      "trigger" in data && data.trigger,
    ]);
    expect(triggers.at(-2)).toEqual(["compaction_started", "threshold"]);
    expect(triggers.at(-1)![0]).toBe("compaction_finished");
    expect(await host.state.store.contextMark(sessionId)).toEqual(before);
    const { digest } = await host.state.store.prefix(sessionId, len + 4);
    expect(digest).toBe(headDigest);
    await talk(host, ["fifth"], sessionId);
    expect(shapeOf(host.models.of("main").at(-1)!)[0]).toBe("summary");
  });

  test("costs what it sends, however long the transcript before the summary", async () => {
    let read = 0;
    const wrapStore = (store: HostStore): HostStore => ({
      ...store,
      async *read(id, request) {
        for await (const row of store.read(id, request)) {
          read += 1;
          yield row;
        }
      },
    });
    const host = await compactingHost(longTurns(3, 10), undefined, { state, wrapStore });
    const { store } = host.state;
    const { id } = await store.createSession({ member: "long", role: "main" });
    const lease = await store.acquireLease(id, { owner: "test", ttlMs: 60_000 });
    const messages = Array.from({ length: 2000 }, (_, at) => ({
      role: "user" as const,
      content: `message ${at}`,
    }));
    await store.append(id, { lease, expectedRev: 0, messages });
    await store.releaseLease(lease);
    await host.runtime.compact({ sessionId: id, keep: { unit: "messages", count: 4 } });
    read = 0;
    await talk(host, ["go"], id);
    expect(read).toBeLessThan(12);
    expect(shapeOf(host.models.of("main")[0]!)).toHaveLength(6);
  });
});

describe("a turn whose requests grow too long", () => {
  test("goes by what the provider counted", async () => {
    const usage = { inputTokens: 6000, outputTokens: 10 };
    const main = [
      { text: long("one", 4000), usage },
      { text: "two", usage: { inputTokens: 900 } },
    ];
    const host = await compactingHost(main, undefined, { compactAt: 6001 });
    const sessionId = await talk(host, ["first", "second"]);
    const told = await compactionEvents(host, sessionId);
    expect(told.map(({ type }) => type)).toEqual(["compaction_started", "compaction_finished"]);
    expect(told[0]!.data).toMatchObject({ tokens: 6010 + Math.ceil(JSON.stringify("second").length / 4) });
  });

  test("is compacted once when the provider refuses a request for its length, and asked again", async () => {
    const host = await compactingHost(longTurns(4, 1000), undefined, { onRequest: reads(8000) });
    const sessionId = await talk(host, ["first", "second", "third"]);
    const told = await compactionEvents(host, sessionId);
    expect(told.map(({ type }) => type)).toEqual(["compaction_started", "compaction_finished"]);
    expect(told[0]!.data).toMatchObject({ trigger: "context_length" });
    expect(shapeOf(host.models.of("main").at(-1)!)).toContain("summary");
  });

  test("fails with the provider's own refusal when even the compacted request is too long", async () => {
    const host = await compactingHost(longTurns(4, 1000), undefined, { onRequest: reads(10) });
    const report = await host.run("first");
    expect(report).toMatchObject({ outcome: "failed", failure: { code: "context_length" } });
    const told = await compactionEvents(host, report.transcript!.sessionId);
    expect(told).toMatchObject([{ type: "compaction_failed", data: { code: "nothing_to_summarise" } }]);
  });

  test("goes on as it is when the summary fails by the threshold, and tries once in a turn", async () => {
    const empty = { text: "", usage: { inputTokens: 3 } };
    const host = await compactingHost(longTurns(4, 400), [empty], { compactAt: 1500 });
    const sessionId = await talk(host, ["first", "second", "third"]);
    const told = await compactionEvents(host, sessionId);
    const failed = told.filter(({ type }) => type === "compaction_failed");
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.length).toBe(new Set(told.map(({ run }) => run)).size);
    expect(shapeOf(host.models.of("main").at(-1)!)[0]).toBe("user:first");
  });

  test("says that what has to stay is too much, naming what to do", async () => {
    const main = [
      calls({ name: "probe", input: { value: long("v", 3000) } }),
      { text: "done" },
      { text: "x" },
    ];
    const host = await compactingHost(main, undefined, { compactAt: 2000 });
    const sessionId = await talk(host, ["first"]);
    const [failed] = await compactionEvents(host, sessionId);
    expect(failed).toMatchObject({ type: "compaction_failed", data: { code: "tail_too_large" } });
    expect((failed!.data as { message: string }).message).toContain("--compact-at");
    expect(host.models.of("compaction")).toEqual([]);
  });

  test("repeats the user's words in the summary and names their images when the prompt itself was summarised", async () => {
    const rounds = Array.from({ length: 8 }, (_, at) =>
      calls({ name: "probe", input: { value: long(`v${at}`, 300) }, id: `c${at}` }),
    );
    const host = await compactingHost([...rounds, { text: "done" }], undefined, { compactAt: 2500 });
    await host.run({ text: "paint the shed green", images: [imageOf(png(), "shed.png"), imageOf(png("b"))] });
    const last = host.models.of("main").at(-1)!;
    expect(shapeOf(last)[0]).toBe("summary");
    expect(shapeOf(last)).not.toContain("user:paint the sh");
    expect(said(last.messages[0]!)).toContain(
      "[It showed what is not shown from here on: shed.png, image/png]\npaint the shed green",
    );
  });
});
