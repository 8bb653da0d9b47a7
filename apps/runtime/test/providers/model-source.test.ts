import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openModelSource } from "../../src/providers/model-source.ts";
import { requestOf, runRound } from "./rounds.ts";

let cwd = "";
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "models-"));
  const agents = { main: { rounds: [{ text: "hi" }] }, triage: { rounds: [{ text: "sorted" }] } };
  await writeFile(join(cwd, "demo.json"), JSON.stringify({ schema: 1, agents }));
});
afterAll(() => rm(cwd, { recursive: true }));

const child = { provider: "anthropic", id: "claude-haiku-4-5" };

describe("a scripted source", () => {
  test("plays every model from its file under the model's own name, and never asks a provider", async () => {
    const source = await openModelSource("scripted:demo.json", { cwd, env: {} });
    expect(source.main.ref).toEqual({ provider: "scripted", id: "demo.json" });
    expect((await runRound(source.main, requestOf())).events).toContainEqual({ type: "text", delta: "hi" });
    const opened = source.open(child);
    expect(opened.ref).toEqual(child);
    expect((await runRound(opened, requestOf({ agent: "triage" }))).events).toContainEqual({
      type: "text",
      delta: "sorted",
    });
    expect((await runRound(opened, requestOf({ agent: "nobody" }))).error).toMatchObject({
      code: "scripted_miss",
    });
  });

  test("knows the providers that a live one knows", async () => {
    const source = await openModelSource("scripted:demo.json", { cwd, env: {} });
    expect(["anthropic", "scripted", "acme"].map((name) => source.isRegistered(name))).toEqual([
      true,
      true,
      false,
    ]);
  });

  test.each([
    ["scripted:", "invalid_model"],
    ["scripted:none.json", "scripted_file"],
  ])("%s is refused as %s", async (name, code) => {
    await expect(openModelSource(name, { cwd, env: {} })).rejects.toMatchObject({ code });
  });
});

describe("a live source", () => {
  const env = { ANTHROPIC_API_KEY: "k" };

  test("opens each model once, the main one included, and sends nothing", async () => {
    const source = await openModelSource("anthropic/claude-sonnet-4-5", { env, contextWindow: 200_000 });
    expect(source.main.ref).toEqual({
      provider: "anthropic",
      id: "claude-sonnet-4-5",
      contextWindow: 200_000,
    });
    expect(source.open(source.main.ref)).toBe(source.main);
    expect(source.open(child)).toBe(source.open({ ...child }));
    expect(source.open(child).ref).toEqual(child);
  });

  test("refuses at once what can't be reached", async () => {
    await expect(openModelSource("openai/gpt-5", { env })).rejects.toMatchObject({ code: "missing_key" });
    const source = await openModelSource("anthropic/claude-sonnet-4-5", { env });
    expect(() => source.open({ provider: "acme", id: "m" })).toThrow(
      expect.objectContaining({ code: "unknown_provider" }),
    );
    expect(source.isRegistered("openai")).toBe(true);
    expect(source.isRegistered("acme")).toBe(false);
  });
});
