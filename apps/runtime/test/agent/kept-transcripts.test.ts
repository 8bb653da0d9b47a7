import { describe, expect, test } from "vitest";
import { KeptTranscripts, type KeptTranscript } from "../../src/agent/transcript/kept-transcripts.ts";
import { callsOf } from "../../src/agent/transcript/tool-message.ts";
import type { ModelMessage } from "../../src/providers/model.ts";
import type { HostStore } from "../../src/store/host-store.ts";
import { probeTool } from "../harness/probe-tool.ts";
import {
  calls,
  openTestHost,
  stateKinds,
  type TestHost,
  type TestHostOptions,
} from "../harness/test-host.ts";

/** A call in every turn, always under the same id. */
const agents = {
  main: Array.from({ length: 12 }, (_, index) =>
    index % 2 === 0
      ? { text: `look ${index}`, ...calls({ name: "probe", input: { value: "ü" }, id: "c" }) }
      : { text: `done ${index}` },
  ),
};

interface WatchedHost {
  readonly host: TestHost;
  /** First positions of what was read while requests were built and turns opened. */
  readonly reads: number[];
  /** Runs a turn and answers how many rows were read from the store for it. */
  turn(prompt: string, sessionId?: string): Promise<{ readonly sessionId: string; readonly read: number }>;
}

async function watched(options: TestHostOptions): Promise<WatchedHost> {
  const reads: number[] = [];
  let rows = 0;
  const wrapStore = (store: HostStore): HostStore => ({
    ...store,
    async *read(id, request) {
      reads.push(request?.from ?? 0);
      for await (const row of store.read(id, request)) {
        rows += 1;
        yield row;
      }
    },
  });
  const host = await openTestHost({ agents, tools: [probeTool("probe")], wrapStore, ...options });
  return {
    host,
    reads,
    async turn(prompt, sessionId) {
      rows = 0;
      const report = await host.run(prompt, sessionId === undefined ? {} : { sessionId });
      expect(report.outcome).toBe("completed");
      return { sessionId: report.transcript!.sessionId, read: rows };
    },
  };
}

/** The last request has the very bytes of the rows that stood before its answer. */
async function expectRowsInRequest(host: TestHost, sessionId: string): Promise<void> {
  const rows = await host.transcript(sessionId);
  expect(JSON.stringify(host.models.requests.at(-1)!.messages)).toBe(JSON.stringify(rows.slice(0, -1)));
}

async function appendElsewhere(host: TestHost, sessionId: string, messages: readonly ModelMessage[]) {
  const { store } = host.state;
  const lease = await store.acquireLease(sessionId, { owner: "elsewhere", ttlMs: 60_000 });
  const { rev } = await store.head(sessionId);
  await store.append(sessionId, { lease, expectedRev: rev, messages: [...messages] });
  await store.releaseLease(lease);
}

describe.each(stateKinds)("the second turn of a session in one process, with the state in %s", (state) => {
  test("reads the newest row alone, and sends the bytes that reading all would send", async () => {
    const { host, turn } = await watched({ state });
    const { sessionId } = await turn("one");
    await turn("two", sessionId);
    const third = await turn("three", sessionId);
    expect(third.read).toBeLessThanOrEqual(1);
    await expectRowsInRequest(host, sessionId);
    const ids = (await host.transcript(sessionId)).flatMap((message) =>
      message.role === "assistant" ? callsOf(message).map(({ toolCallId }) => toolCallId) : [],
    );
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(3);
  });

  // S32
  test("sends nothing that was redacted between them, in that session or after a turn of another", async () => {
    const { host, turn } = await watched({ state });
    const { sessionId } = await turn("my code is hunter2-hunter2");
    const other = await turn("other");
    await turn("more", sessionId);
    const { store } = host.state;
    const ids: string[] = [];
    for await (const { id } of store.read(sessionId, { from: 0, to: 1 })) ids.push(id);
    await store.upkeep!.redact({ sessionId, messageIds: ids });
    await turn("other again", other.sessionId);
    await turn("two", sessionId);
    expect(JSON.stringify(host.models.requests.at(-1)!.messages)).not.toContain("hunter2");
    await expectRowsInRequest(host, sessionId);
  });

  test("does not see the turn between them that was cancelled", async () => {
    const { host, turn } = await watched({
      state,
      onRequest: async (request) => {
        if (request.messages.some(({ content }) => content === "cancel me")) prepared!.cancel();
      },
    });
    const { sessionId } = await turn("one");
    const prepared: Awaited<ReturnType<TestHost["runtime"]["prepare"]>> | undefined =
      await host.runtime.prepare(host.facts, { sessionId });
    expect(await prepared.run("cancel me")).toMatchObject({ outcome: "cancelled" });
    await turn("two", sessionId);
    expect(JSON.stringify(host.models.requests.at(-1)!.messages)).not.toContain("cancel me");
    await expectRowsInRequest(host, sessionId);
  });

  test("has the results that a process which died between them left open", async () => {
    const { host, turn } = await watched({ state });
    const { sessionId } = await turn("one");
    await appendElsewhere(host, sessionId, [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: [{ type: "tool-call", toolCallId: "lost", toolName: "probe", input: {} }],
      },
    ]);
    await turn("two", sessionId);
    expect(JSON.stringify(host.models.requests.at(-1)!.messages)).toContain("interrupted: ");
    await expectRowsInRequest(host, sessionId);
  });

  test("is not mixed up with a turn of its fork", async () => {
    const { host, turn } = await watched({ state });
    const { sessionId } = await turn("one");
    const member = (await host.state.store.head(sessionId)).binding?.member;
    const fork = await host.runtime.fork(member!, {
      identity: "branch",
      role: "main",
      launchMode: "fresh",
    });
    await turn("in the fork", fork.sessionId);
    await expectRowsInRequest(host, fork.sessionId);
    await turn("in the trunk", sessionId);
    await expectRowsInRequest(host, sessionId);
    expect(JSON.stringify(host.models.requests.at(-1)!.messages)).not.toContain("in the fork");
  });
});

describe("what a host keeps of transcripts", () => {
  const kept = (bytes: number, generation = 0): KeptTranscript => ({
    loaded: { messages: [], callIds: new Set(), markAt: undefined, generation, len: 1, bytes },
    digest: "sha256:x",
  });

  test("is bounded by bytes and by sessions, and what was used longest ago goes first", () => {
    const transcripts = new KeptTranscripts();
    for (let index = 0; index < 100; index += 1) transcripts.put(`s${index}`, kept(1000));
    expect(transcripts.size).toBe(32);
    expect(transcripts.take("s67", 0)).toBeUndefined();
    expect(transcripts.take("s68", 0)).toBeDefined();
    transcripts.put("large", kept(64 * 1024 * 1024 - 1500));
    expect(transcripts.size).toBe(2);
    expect(transcripts.take("s99", 0)).toBeDefined();
    transcripts.put("larger", kept(64 * 1024 * 1024 + 1));
    expect(transcripts.take("larger", 0)).toBeUndefined();
  });

  // S32
  test("goes, all of it, with the first turn of any session that sees a redaction; nothing older comes back", () => {
    const transcripts = new KeptTranscripts();
    transcripts.put("one", kept(10));
    transcripts.put("two", kept(10));
    expect(transcripts.take("three", 1)).toBeUndefined();
    expect(transcripts.size).toBe(0);
    transcripts.put("one", kept(10, 0));
    expect(transcripts.size).toBe(0);
    transcripts.put("one", kept(10, 1));
    expect(transcripts.take("one", 1)).toBeDefined();
  });

  test("goes when the host closes, and a turn that ends later leaves nothing", () => {
    const transcripts = new KeptTranscripts();
    transcripts.put("one", kept(10));
    transcripts.close();
    expect(transcripts.size).toBe(0);
    transcripts.put("two", kept(10));
    expect(transcripts.size).toBe(0);
  });
});
