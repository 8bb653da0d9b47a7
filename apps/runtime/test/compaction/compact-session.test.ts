import { describe, expect, test } from "vitest";
import { isCompactionError } from "../../src/compaction/compaction-error.ts";
import { previewCompaction } from "../../src/host/asked-compaction.ts";
import { ModelError } from "../../src/providers/model-error.ts";
import type { ModelRequest } from "../../src/providers/model.ts";
import { summaryFacts } from "../../src/providers/summary-message.ts";
import { calls, keptKind, stateKinds, type TestHost } from "../harness/test-host.ts";
import { redact } from "../redaction/redacting.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { said, compactingHost, compactionEvents, long, longTurns, shapeOf, talk } from "./compacting.ts";

async function lastSummary(host: TestHost, sessionId: string) {
  const message = (await host.transcript(sessionId)).at(-1)!;
  return { facts: summaryFacts(message)!, words: said(message) };
}

describe.each(stateKinds)("a session that is compacted between its turns (%s)", (state) => {
  test("sends the summary and the newest turns from then on, and keeps every message", async () => {
    const host = await compactingHost(longTurns(4), undefined, { state });
    const sessionId = await talk(host, ["first", "second", "third"]);
    const before = await host.transcript(sessionId);
    const keep = { unit: "turns", count: 1 } as const;
    const outline = await previewCompaction(host.state, { sessionId, keep });
    expect(outline).toMatchObject({ summarised: 8, kept: 4 });
    expect(await host.transcript(sessionId)).toEqual(before);

    const done = await host.runtime.compact({ sessionId, keep });
    expect(done).toMatchObject({ summarised: 8, kept: 4, usage: { inputTokens: 900, outputTokens: 20 } });
    expect(done.tokensBefore - done.tokensAfter).toBeGreaterThan(900);
    expect((await host.transcript(sessionId)).slice(0, -1)).toEqual(before);
    const [asked] = host.models.of("compaction");
    expect(asked).toMatchObject({ tools: [], toolChoice: { type: "none" } });
    expect(asked!.messages).toHaveLength(1);

    await talk(host, ["fourth"], sessionId);
    const [request] = host.models.of("main").slice(-2);
    expect(shapeOf(request!)).toEqual([
      "summary",
      "user:third",
      "assistant",
      "tool",
      "assistant",
      "user:fourth",
    ]);
    expect(request!.system).toBe(host.models.of("main")[0]!.system);
    expect((await host.state.store.head(sessionId)).usage.own).toMatchObject({ inputTokens: 900 });
    const [started, finished] = await compactionEvents(host, sessionId);
    expect(started!.data).toMatchObject({ trigger: "asked", messages: 12 });
    expect(finished!.data).toMatchObject({ row: 12, summarised: 8, kept: 4, usage: { input_tokens: 900 } });
  });

  test("takes the first summary into the second", async () => {
    const summaries = [[{ when: { contains: "SUMMARY one" }, text: "SUMMARY two" }, { text: "SUMMARY one" }]];
    const host = await compactingHost(longTurns(5), summaries, { state });
    const sessionId = await talk(host, ["first", "second", "third"]);
    const keep = { unit: "turns", count: 1 } as const;
    await host.runtime.compact({ sessionId, keep });
    await talk(host, ["fourth"], sessionId);
    await host.runtime.compact({ sessionId, keep });
    await talk(host, ["fifth"], sessionId);
    const [, second] = host.models.of("compaction");
    expect(said(second!.messages[0]!)).not.toContain("answer 0");
    const last = host.models.of("main").at(-1)!;
    expect(shapeOf(last).slice(0, 3)).toEqual(["summary", "user:fourth", "assistant"]);
    expect(said(last.messages[0]!)).toContain("SUMMARY two");
    const mark = await host.state.store.contextMark(sessionId);
    expect(mark).toMatchObject({ position: 17, keepFrom: 13, summarises: 13 });
  });

  test("is refused while a call waits for its approval; what waits is answered as ever", async () => {
    const rounds = [...longTurns(1), calls({ name: "probe", input: { value: "x" } }), { text: "done" }];
    const approver = new RecordingApprover({ decision: "allow" }, { decision: "park" });
    const host = await compactingHost(rounds, undefined, { state, approver });
    const sessionId = await talk(host, ["first"]);
    const { approvalId } = await host.run("second", { sessionId });
    expect(approvalId).toBeDefined();
    const compacting = host.runtime.compact({ sessionId, keep: { unit: "turns", count: 1 } });
    await expect(compacting).rejects.toThrow("waits for an approval");
    expect(await host.state.store.head(sessionId)).toMatchObject({ pendingApprovals: 1, runTurn: null });
    expect(host.models.of("compaction")).toEqual([]);
    const by = { decision: "allow", by: "a person", at: 1 } as const;
    await host.state.ledger.approvals.resolve(approvalId!, by);
    expect((await host.run(undefined, { sessionId })).outcome).toBe("completed");
    expect(await host.runtime.compact({ sessionId, keep: { unit: "turns", count: 1 } })).toMatchObject({
      kept: 4,
    });
  });
});

describe("a session that is compacted between its turns", () => {
  test.each([
    ["empty", { text: " " }, "summary_empty"],
    ["cut off", { text: "It was", finish: "length" }, "summary_cut_off"],
    ["withheld", { text: "It", finish: "content_filter" }, "summary_cut_off"],
    ["longer than what it stands for", { text: long("much", 9000) }, "summary_too_long"],
    ["a call", calls({ name: "probe", input: {} }), "summary_is_a_call"],
    ["refused by the provider", { error: { code: "bad_request" } }, "bad_request"],
  ] as const)("is as it was when the summary is %s, and says why", async (_what, step, code) => {
    const host = await compactingHost(longTurns(3), [{ ...step, usage: { inputTokens: 7 } }], {});
    const sessionId = await talk(host, ["first", "second"]);
    const before = await host.transcript(sessionId);
    const compacting = host.runtime.compact({ sessionId, keep: { unit: "turns", count: 1 } });
    await expect(compacting).rejects.toMatchObject({ code });
    expect(await host.transcript(sessionId)).toEqual(before);
    expect(await host.state.store.contextMark(sessionId)).toBeUndefined();
    const [, failed] = await compactionEvents(host, sessionId);
    expect(failed).toMatchObject({ type: "compaction_failed", data: { code, trigger: "asked" } });
    expect((await host.state.store.head(sessionId)).usage.own.inputTokens).toBe(7);
    await talk(host, ["third"], sessionId);
    expect(shapeOf(host.models.of("main").at(-1)!)[0]).toBe("user:first");
  });

  test("keeps no secret that its summary repeats, in its row, in its log or in the request", async () => {
    const secret = "hunter2-hunter2-hunter2";
    const host = await compactingHost(longTurns(3), [{ text: `The key was ${secret}.` }], {
      secrets: [secret],
    });
    const sessionId = await talk(host, [`use ${secret}`, "second"]);
    await host.runtime.compact({ sessionId, keep: { unit: "turns", count: 1 } });
    await talk(host, ["third"], sessionId);
    const kept = [
      await host.transcript(sessionId),
      await compactionEvents(host, sessionId),
      host.models.requests,
    ];
    expect(JSON.stringify(kept)).not.toContain("hunter2");
    expect(JSON.stringify(kept[0])).toContain("The key was [redacted].");
  });

  test("has nothing to summarise when all of it is to be kept, and nothing is told", async () => {
    const host = await compactingHost(longTurns(2));
    const sessionId = await talk(host, ["first"]);
    const error = await host.runtime.compact({ sessionId }).catch((reason: unknown) => reason);
    expect(isCompactionError(error) && error.code).toBe("nothing_to_summarise");
    expect(await compactionEvents(host, sessionId)).toEqual([]);
    expect(host.models.of("compaction")).toEqual([]);
  });

  test("is not asked a summary that could save nothing: what has to stay is all that the provider counted", async () => {
    const usage = { inputTokens: 20, outputTokens: 5 };
    const answer = { text: long("word", 500), usage };
    const host = await compactingHost([answer, answer]);
    const sessionId = await talk(host, ["first", "second"]);
    const compacting = host.runtime.compact({ sessionId, keep: { unit: "turns", count: 1 } });
    await expect(compacting).rejects.toThrow(/there is nothing to save: about \d+ of 25 tokens/);
    expect(host.models.of("compaction")).toEqual([]);
  });

  test("has a summary still, without its words, when a message that it stands for is redacted whole", async () => {
    const host = await compactingHost(longTurns(3), undefined, { state: keptKind });
    const sessionId = await talk(host, ["first", "second"]);
    await host.runtime.compact({ sessionId, keep: { unit: "turns", count: 1 } });
    const { facts, words } = await lastSummary(host, sessionId);
    expect(words).toContain("SUMMARY of it");
    for await (const { id } of host.state.store.read(sessionId, { from: 0, to: 1 }))
      await redact(host, sessionId, { texts: [], wholeIds: [id] });
    expect(await lastSummary(host, sessionId)).toEqual({ facts, words: "[redacted]" });
    expect(String((await host.run(undefined, { sessionId })).failure)).toContain("waits for nothing");
    await talk(host, ["third"], sessionId);
    expect(shapeOf(host.models.of("main").at(-2)!).slice(0, 2)).toEqual(["summary", "user:second"]);
  });

  test("has no summary of its own to answer: a turn without a prompt finds nothing that waits", async () => {
    const host = await compactingHost(longTurns(3));
    const sessionId = await talk(host, ["first", "second"]);
    await host.runtime.compact({ sessionId, keep: { unit: "turns", count: 1 } });
    const report = await host.run(undefined, { sessionId });
    expect(String(report.failure)).toContain("waits for nothing");
  });

  test("is compacted piece by piece where the provider refuses a long request for a summary", async () => {
    const onRequest = ({ agent, messages }: ModelRequest): void => {
      const { length } = JSON.stringify(messages);
      if (agent === "compaction" && length > 9000)
        throw new ModelError("context_length", `${length} is too long`, { details: {} });
    };
    const host = await compactingHost(longTurns(4, 1500), undefined, { onRequest });
    const sessionId = await talk(host, ["first", "second", "third"]);
    await host.runtime.compact({ sessionId, keep: { unit: "turns", count: 1 } });
    const asked = host.models.of("compaction").map(({ messages: [message] }) => said(message!));
    const answered = asked.filter(({ length }) => length < 8900);
    expect(answered.length).toBeGreaterThan(1);
    expect(answered.slice(1).every((text) => text.includes("SUMMARY of it"))).toBe(true);
    const told = answered.join("\n");
    for (const word of ["first", "answer 0", "second", "answer 1"]) expect(told).toContain(word);
  });
});
