import { describe, expect, test } from "vitest";
import { exportSession } from "@mobkit/session/bundle";
import { imageOf } from "../../src/images/image.ts";
import { blobOf, imagesIn } from "../../src/images/kept-image.ts";
import type { AssistantMessage, Model, ModelMessage, ModelRequest } from "../../src/providers/model.ts";
import { ToldEvents } from "../../src/replay/told-event.ts";
import { bytesWith } from "../harness/kept-bytes.ts";
import { png } from "../harness/pictures.ts";
import { probeTool, readProbe } from "../harness/probe-tool.ts";
import {
  calls,
  keptKind,
  openTestHost,
  resultsOf,
  type TestHost,
  type TestHostOptions,
} from "../harness/test-host.ts";
import { redact } from "../redaction/redacting.ts";

const open = (options: TestHostOptions = {}): Promise<TestHost> =>
  openTestHost({
    state: keptKind,
    agents: { main: [{ text: "a dot" }, { text: "still a dot" }] },
    ...options,
  });

const dot = imageOf(png(), "dot.png");
const show = { text: "what is this?", images: [dot] };
const blob = expect.stringMatching(/^blob:sha256:[0-9a-f]{64}$/);
const filePart = { type: "file", data: blob, mediaType: "image/png", filename: "dot.png" };

async function digestIn(host: TestHost, session: string): Promise<string> {
  const [message] = await host.transcript(session);
  return blobOf(imagesIn(message!)[0]!.data)!;
}

describe("a prompt with an image", () => {
  test("is kept as words and a reference; the bytes once, whoever shows them again", async () => {
    const host = await open();
    const { sessionId } = (await host.run(show)).transcript!;
    expect((await host.transcript(sessionId))[0]).toEqual({
      role: "user",
      content: [{ type: "text", text: "what is this?" }, filePart],
    });
    const told = { media_type: "image/png", name: "dot.png", digest: expect.stringMatching(/^sha256:/) };
    expect(host.events.data("user_message")).toMatchObject([{ text: "what is this?", images: [told] }]);
    const [event] = host.events.of().filter(({ type }) => type === "user_message");
    expect(new ToldEvents().of(event!)).toMatchObject({ label: "user", text: "what is this? [dot.png]" });
    const [request] = host.models.requests;
    const digest = await digestIn(host, sessionId);
    expect(Buffer.from((await request!.blobs!.get(digest))!)).toEqual(png());
    await host.run({ text: "", images: [dot] }, { sessionId });
    expect((await host.transcript(sessionId))[2]).toEqual({ role: "user", content: [filePart] });
    expect(await bytesWith(host, png().toString("base64").slice(0, 40))).toEqual([]);
  });

  test("lives as long as a row that shows it: in forks, through a collection and in an export", async () => {
    const host = await open();
    const { store } = host.state;
    const { sessionId } = (await host.run(show)).transcript!;
    const digest = await digestIn(host, sessionId);
    const { binding } = await store.head(sessionId);
    await host.runtime.fork(binding!.member, { identity: "branch", role: "main", launchMode: "fresh" });
    await store.upkeep!.collect({ graceMs: 0 });
    await store.upkeep!.collect({ graceMs: 0 });
    expect(await store.blobs.get(digest)).toBeDefined();
    const lines: string[] = [];
    for await (const line of exportSession(store as never, sessionId)) lines.push(line);
    expect(lines.some((line) => line.includes(digest))).toBe(true);
  });

  // S32
  test("goes with its bytes when a text in them is redacted, and the words around it stay", async () => {
    const host = await open();
    const shown = { text: "see", images: [imageOf(png("CANARY-in-a-picture"))] };
    const { sessionId } = (await host.run(shown)).transcript!;
    const digest = await digestIn(host, sessionId);
    expect(String(Buffer.from((await host.state.store.blobs.get(digest))!))).toContain("CANARY");
    const done = await redact(host, sessionId, { texts: ["CANARY-in-a-picture"] });
    expect(done).toMatchObject({ messages: 1, blobs: 1, notReached: { messages: 0, tables: {} } });
    expect((await host.transcript(sessionId))[0]!.content).toEqual([
      { type: "text", text: "see" },
      { type: "text", text: "[redacted]" },
    ]);
    expect((await host.run("go on", { sessionId })).outcome).toBe("completed");
    expect(await bytesWith(host, "CANARY")).toEqual([]);
  });

  test("of more images than a provider takes is refused before anything is kept", async () => {
    const host = await open();
    const report = await host.run({ text: "see", images: Array.from({ length: 21 }, () => dot) });
    expect(report).toMatchObject({ outcome: "failed", failure: { message: /at most 20/ } });
  });
});

const image = (comment?: string) => ({ output: "[image]", isError: false, images: [imageOf(png(comment))] });

describe("a result with an image", () => {
  const agents = { main: [calls({ name: "look", input: {}, id: "c1" }), { text: "a dot" }] };

  test("shows it behind its text, and its event names it", async () => {
    const host = await open({ agents, tools: [readProbe("look", { run: () => image() })] });
    const { sessionId } = (await host.run("look")).transcript!;
    expect(resultsOf(await host.transcript(sessionId))).toEqual({
      c1: {
        type: "content",
        value: [
          { type: "text", text: "[image]" },
          { type: "image-data", data: blob, mediaType: "image/png" },
        ],
      },
    });
    expect(host.events.data("tool_completed")).toMatchObject([
      { output: "[image]", images: [{ media_type: "image/png" }] },
    ]);
  });

  // S36: only what was reviewed is kept.
  test("loses it where a guard puts another output in its place, or objects", async () => {
    for (const answer of [
      { decision: "replace", output: "hidden" },
      { decision: "deny", reason: "no" },
    ] as const) {
      const host = await open({
        agents,
        tools: [readProbe("look", { run: () => image(`CANARY ${answer.decision}`) })],
        interceptors: [{ name: "guard", events: ["post_tool_use"], intercept: () => answer }],
      });
      const { sessionId } = (await host.run("look")).transcript!;
      const [output] = Object.values(resultsOf(await host.transcript(sessionId)));
      expect(output).toMatchObject({ type: expect.stringMatching(/text$/) });
      expect(await bytesWith(host, "CANARY")).toEqual([]);
      await host.close();
    }
  });
});

test("an image that a model made is kept as bytes beside its row", async () => {
  const message: AssistantMessage = {
    role: "assistant",
    content: [
      { type: "text", text: "here" },
      { type: "file", data: png().toString("base64"), mediaType: "image/png" },
    ],
  };
  const usage = { inputTokens: 1, outputTokens: 1, cachedInputTokens: 0, reasoningTokens: 0 };
  const asked: ModelMessage[][] = [];
  const model: Model = {
    ref: { provider: "painter", id: "p" },
    capabilities: { forcedChoice: "none", nativeSchema: false },
    async *round(request: ModelRequest) {
      asked.push([...request.messages]);
      yield { type: "finish", finishReason: "stop", usage, message };
    },
  };
  const host = await open({ model, tools: [probeTool("probe")] });
  const { sessionId } = (await host.run("paint")).transcript!;
  expect((await host.transcript(sessionId))[1]!.content).toMatchObject([
    { text: "here" },
    { type: "file", data: blob, mediaType: "image/png" },
  ]);
  expect(host.events.data("assistant_message")).toMatchObject([{ images: [{ media_type: "image/png" }] }]);
  await host.run("again", { sessionId });
  expect(asked[1]!.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
});
