import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bench } from "./support/bench.ts";
import { park, tokenOptions } from "./support/waiting.ts";
import { refused } from "./support/refused.ts";

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
  bench.write(".basis/agents/reviewer.md", reviewer);
});
afterEach(() => bench.remove());

const reviewer = `---
name: reviewer
description: reads and says what is wrong
tools: [read, spawn]
---
You review.
`;
const write = { calls: [{ name: "write", input: { path: "new.txt", content: "x" } }] };
const asReviewer = ["run", "look at it", "--agent", "reviewer", "--json", "--model"];

describe("run --agent", () => {
  it("begins a session as the agent: its name, at most its tools; the session stays who it is", async () => {
    const model = bench.script([], {
      reviewer: { rounds: [write, { text: "no" }, write, { text: "never" }] },
    });
    const first = await bench.run([...asReviewer, model, "--trust-workspace", "--approve", "always"]);
    expect(first.code).toBe(0);
    expect(first.event("run_started").data.agent).toMatch(/^reviewer-/);
    expect(first.event("tool_completed").data.output).toMatch(
      "there is no tool 'write' for this agent; it has: read, spawn",
    );
    const { session } = first.event("run_started");
    const next = await bench.run(["run", "and now?", "--session", session, "--json", "--model", model]);
    expect(next.event("tool_completed").data.output).toMatch("there is no tool 'write' for this agent");
    expect(existsSync(join(bench.workspace, "new.txt"))).toBe(false);
    // A fork goes on as who its source was.
    await bench.run(["fork", session, "--as", "branch"]);
    const forked = await bench.run(["run", "x y", "--session", "branch", "--json", "--model", model]);
    expect(forked.stderr + forked.stdout).toContain('agent \\"reviewer\\"');
  });

  it("keeps to the agent when a call of it waited, and refuses to become another", async () => {
    bench.write(".basis/agents/reviewer.md", reviewer.replace("[read, spawn]", "[read, write]"));
    const model = bench.script([], { reviewer: { rounds: [write, { text: "done" }] } });
    const { id, session } = await park(bench, model, "--agent", "reviewer", "--trust-workspace");
    const other = ["run", "--session", session, "--agent", "main", "--model", model];
    expect(await bench.run(other)).toMatchObject(refused(5, "was begun as 'reviewer'", "--agent"));
    await bench.run(["approvals", "allow", id, ...tokenOptions(bench)]);
    expect((await bench.run(["run", "--session", session, "--model", model])).code).toBe(0);
    expect(existsSync(join(bench.workspace, "new.txt"))).toBe(true);
  });

  it("answers with the file's model, but for one that was named", async () => {
    bench.write(".basis/agents/reviewer.md", reviewer.replace("---\nYou", "model: openai/small\n---\nYou"));
    const rounds = { reviewer: { rounds: [{ text: "fine" }] } };
    const model = bench.script([], rounds);
    const argv = asReviewer.slice(0, -1);
    const told = await bench.run([...argv, "--trust-workspace"], { env: { BASIS_MODEL: model } });
    expect(told.event("run_started").data.model).toEqual({ provider: "openai", id: "small" });
    const named = await bench.run([...asReviewer, model]);
    expect(named.event("run_started").data.model).toMatchObject({ provider: "scripted" });
    // Without a script the file's model is opened, and asks for its key before anything is sent.
    expect(await bench.run(argv)).toMatchObject(refused(5, "OPENAI_API_KEY"));
  });

  it("refuses an agent that is not there, one that is gone, and one that nobody has trusted", async () => {
    const model = bench.script([], { reviewer: { rounds: [{ text: "fine" }] } });
    expect(await bench.run([...asReviewer, model])).toMatchObject(refused(5, "is not trusted", "'reviewer'"));
    const first = await bench.run([...asReviewer, model, "--trust-workspace"]);
    expect(first.code).toBe(0);
    const mistyped = asReviewer.map((word) => (word === "reviewer" ? "reviwer" : word));
    expect(await bench.run([...mistyped, model])).toMatchObject(
      refused(5, "no agent 'reviwer' in .basis/agents; did you mean 'reviewer'?", "it has: reviewer"),
    );
    bench.write(".basis/agents/reviewer.md", reviewer.replace("name: reviewer", "name: critic"));
    const { session } = first.event("run_started");
    const gone = ["run", "x y", "--session", session, "--model", model, "--trust-workspace"];
    expect(await bench.run(gone)).toMatchObject(refused(5, "no agent 'reviewer'", "it has: critic"));
  });
});
