import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Cue } from "../../src/agent/run/cue.ts";
import { loadTranscript } from "../../src/agent/transcript/load-transcript.ts";
import { estimatePrefix } from "../../src/compaction/estimate-prefix.ts";
import { completeLog } from "../../src/agent/turn/complete-log.ts";
import { memoryState } from "../../src/store/open-state.ts";
import { stateKinds, type TestHost } from "../harness/test-host.ts";
import { brief, compactingHost, compactionEvents, longTurns, shapeOf, talk } from "./compacting.ts";

const keep = { unit: "turns", count: 1 } as const;

async function fork(host: TestHost, sessionId: string, name: string, at?: number): Promise<string> {
  const { binding } = await host.state.store.head(sessionId);
  const spec = { identity: name, role: "general", launchMode: "fresh" } as const;
  return (await host.runtime.fork(binding!.member, spec, at === undefined ? {} : { at })).sessionId;
}

/** What requests of a session are built from. */
async function contextOf(host: TestHost, id: string): Promise<readonly unknown[]> {
  const { store } = host.state;
  const head = await store.head(id);
  return (await loadTranscript(store, { head, generation: 0, ending: new Cue() })).messages;
}

describe.each(stateKinds)("forks of a compacted session (%s)", (state) => {
  test("have its summary from the summary's own row on, and the whole transcript before it (S33)", async () => {
    const host = await compactingHost(longTurns(4), undefined, { state });
    const sessionId = await talk(host, ["first", "second", "third"]);
    await host.runtime.compact({ sessionId, keep });
    const behind = await fork(host, sessionId, "behind");
    const at = await fork(host, sessionId, "at", 12);
    const before = await fork(host, sessionId, "before", 10 - 2);
    await talk(host, ["on"], behind);
    expect(shapeOf(host.models.of("main").at(-1)!).slice(0, 2)).toEqual(["summary", "user:third"]);
    for (const [id, messages] of [
      [at, 12],
      [before, 8],
    ] as const) {
      const rows = await host.transcript(id);
      expect(rows).toHaveLength(messages);
      expect(rows.map(brief)).not.toContain("summary");
      expect(await contextOf(host, id)).toEqual(rows);
    }
  });

  test("go on where their rows end: the script counts the answers that the summary stands for", async () => {
    const host = await compactingHost(longTurns(4), undefined, { state });
    const sessionId = await talk(host, ["first", "second", "third"]);
    await host.runtime.compact({ sessionId, keep });
    const forked = await fork(host, sessionId, "later");
    const report = await host.run("fourth", { sessionId: forked });
    expect(report.text).toContain("answer 3");
  });

  test("are estimated by what they send", async () => {
    const host = await compactingHost(longTurns(4), undefined, { state });
    const sessionId = await talk(host, ["first", "second", "third"]);
    const { tokensBefore, tokensAfter } = await host.runtime.compact({ sessionId, keep });
    const session = await host.state.store.head(sessionId);
    const { signal } = new AbortController();
    const tokens = async (length: number) =>
      (await estimatePrefix(host.state.store, { session, length }, signal)).tokens;
    expect(await tokens(12)).toBe(tokensBefore);
    expect(Math.abs((await tokens(13)) - tokensAfter)).toBeLessThan(20);
  });
});

test("compaction then fork is fork then the same context, wherever both are cut", async () => {
  const host = await compactingHost(longTurns(10, 40));
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 3 }), async (kept, more) => {
      const prompts = Array.from({ length: 3 + kept }, (_, at) => `prompt ${at}`);
      const sessionId = await talk(host, prompts);
      await host.runtime.compact({ sessionId, keep: { unit: "turns", count: kept } });
      const context = await contextOf(host, sessionId);
      const { len } = await host.state.store.head(sessionId);
      const forked = await fork(host, sessionId, `fork-of-${sessionId}`);
      await talk(host, prompts.slice(0, more), sessionId);
      expect(await contextOf(host, forked)).toEqual(context);
      expect((await contextOf(host, sessionId)).slice(0, context.length)).toEqual(context);
      expect(context.map((each) => brief(each as never))[0]).toBe("summary");
      expect(len).toBe((await host.transcript(forked)).length);
    }),
    { numRuns: 8 },
  );
});

test("a log that lost its end is completed with the compaction, not with a prompt", async () => {
  const host = await compactingHost(longTurns(3));
  const sessionId = await talk(host, ["first", "second"]);
  await host.runtime.compact({ sessionId, keep });
  const { events } = memoryState();
  const { store } = host.state;
  const head = await store.head(sessionId);
  await completeLog({ events, store, head, scope: { session: sessionId } });
  await events.flush();
  const told = [];
  for await (const event of events.read(sessionId)) told.push(event);
  const [, finished] = await compactionEvents(host, sessionId);
  expect(told.at(-1)).toMatchObject({
    type: "compaction_finished",
    data: { row: 8, summarised: 4, kept: 4 },
  });
  const { usage: _, ...data } = finished!.data as Record<string, unknown>;
  expect(told.at(-1)!.data).toEqual(data);
});
