import { Agent, Runner, tool, Usage, type AgentInputItem, type Model, type Session } from "@openai/agents";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { isSessionError, memoryStore } from "../../src/index.ts";
import { openSession } from "../../src/openai-agents/index.ts";
import { openAiAgentsShape, type AgentItem } from "../../src/shapes/index.ts";

const call = (callId: string) => ({
  type: "function_call" as const,
  callId,
  name: "look",
  status: "completed" as const,
  arguments: "{}",
});
const result = (callId: string) => ({
  type: "function_call_result" as const,
  callId,
  name: "look",
  status: "completed" as const,
  output: { type: "text" as const, text: "seen" },
});
const says = (text: string) => ({
  type: "message" as const,
  role: "assistant" as const,
  status: "completed" as const,
  content: [{ type: "output_text" as const, text }],
});
const asks = (content: string) => ({ type: "message" as const, role: "user" as const, content });

async function opened() {
  const store = memoryStore<readonly AgentInputItem[]>({ shape: openAiAgentsShape });
  const { id } = await store.createSession({ member: "a", role: "general" });
  const open = () => openSession(store, id, { owner: "t" });
  const rows = async () => {
    const kinds: string[] = [];
    for await (const row of store.read(id)) kinds.push(row.kind);
    return kinds.join(" ");
  };
  return { store, id, rows, open, session: await open() };
}

describe("a stored session of OpenAI Agents", () => {
  const runWith = (session: Session, replies: readonly (readonly object[])[], needsApproval = false) => {
    const left = [...replies];
    const inputs: unknown[] = [];
    const getResponse = async ({ input }: { input: unknown }) => {
      inputs.push(structuredClone(input));
      return { usage: new Usage(), output: left.shift() };
    };
    const look = tool({
      name: "look",
      description: "",
      parameters: z.object({}),
      needsApproval,
      execute: async () => "seen",
    });
    const agent = new Agent({ name: "a", model: { getResponse } as unknown as Model, tools: [look] });
    const runner = new Runner({ tracingDisabled: true });
    const run = async (input: unknown) => runner.run(agent, input as string, { session });
    return { run, inputs };
  };

  it("keeps what a run added, and the next run goes on from it", async () => {
    const { session, rows, open } = await opened();
    await runWith(session, [[call("c1"), call("c2")], [says("Done.")]]).run("Look.");
    expect(await rows()).toBe("user assistant tool assistant");
    await session.close();
    const again = await open();
    const next = runWith(again, [[says("Yes.")]]);
    await next.run("Sure?");
    expect(next.inputs[0]).toHaveLength(7);
    expect(await again.getItems(1)).toMatchObject([says("Yes.")]);
    expect(await again.getItems(0)).toEqual([]);
  });

  it("holds a call that waits for a person, and takes its result after the yes", async () => {
    const { session, rows } = await opened();
    const { run } = runWith(session, [[call("c1")], [says("Done.")]], true);
    const asked = await run("Look.");
    expect(asked.interruptions).toHaveLength(1);
    asked.state.approve(asked.interruptions[0]!);
    expect((await run(asked.state)).finalOutput).toBe("Done.");
    expect(await rows()).toBe("user assistant tool assistant");
  });

  it("pops item by item, also within a row and behind an answered call, and reads the same when opened anew", async () => {
    const { session, open, rows } = await opened();
    const items: AgentInputItem[] = [
      asks("Look."),
      call("c1"),
      call("c2"),
      result("c1"),
      result("c2"),
      says("Done."),
    ];
    await session.addItems(items);
    for (let length = items.length - 1; length >= 0; length -= 1) {
      expect(await session.popItem()).toEqual(items[length]);
      expect(await session.getItems()).toEqual(items.slice(0, length));
    }
    expect(await session.popItem()).toBeUndefined();
    await session.addItems(items);
    await session.popItem();
    await session.close();
    const again = await open();
    expect(await again.getItems()).toEqual(items.slice(0, -1));
    expect(await rows()).toBe("user assistant tool");
    await again.addItems([says("Now.")]);
  });

  it("clears, and begins anew", async () => {
    const { session, id } = await opened();
    await session.addItems([asks("Look."), call("c1")]);
    await session.clearSession();
    expect(await session.getItems()).toEqual([]);
    await session.addItems([asks("Look again.")]);
    expect(await session.getItems()).toEqual([asks("Look again.")]);
    expect(await session.getSessionId()).toBe(id);
  });

  it("refuses a prompt while a call waits, and a second holder", async () => {
    const { session, open } = await opened();
    await session.addItems([asks("Look."), call("c1")]);
    await expect(session.addItems([asks("And?")])).rejects.toSatisfy((error) =>
      isSessionError(error, "open_calls"),
    );
    await expect(open()).rejects.toSatisfy((error) => isSessionError(error, "lease_held"));
    await session.close();
    await session.close();
    await (await open()).close();
  });
});

describe("the shape of OpenAI Agents' items", () => {
  const inspect = (items: unknown) => openAiAgentsShape.inspect(items as readonly AgentItem[]);
  const approval = (type: string, more: object) => [
    { type: "hosted_tool_call", name: type, providerData: { type, ...more } },
  ];

  it("tells what opens and closes, and refuses what is no row", () => {
    expect(inspect([call("a"), call("b")])).toEqual({
      kind: "assistant",
      opens: ["call:a", "call:b"],
      closes: [],
    });
    expect(inspect([result("a")])).toEqual({ kind: "tool", opens: [], closes: ["call:a"] });
    expect(inspect([{ role: "system", content: "Be brief." }])).toMatchObject({ kind: "system" });
    expect(inspect(approval("mcp_approval_request", { id: "m" }))).toMatchObject({ opens: ["approval:m"] });
    const answer = approval("mcp_approval_response", { approval_request_id: "m" });
    expect(inspect(answer)).toMatchObject({ closes: ["approval:m"] });
    expect(inspect([{ type: "reasoning", content: [] }, { type: "web_search" }])).toMatchObject({
      opens: [],
    });
    expect(inspect([])).toEqual({ problem: "is no list of items" });
    expect(inspect([7])).toEqual({ problem: "0: is no item" });
    expect(inspect([{ role: "robot" }])).toEqual({ problem: "0/role: is none of system, user, assistant" });
    expect(inspect([{ type: "function_call" }])).toEqual({ problem: "0: callId is missing" });
    expect(inspect([asks("a"), says("b")])).toEqual({ problem: "one row holds items of different kinds" });
  });

  it("redacts into items of the same kind that open and close the same", () => {
    const rows = [
      [asks("secret")],
      [
        { type: "reasoning", content: [{ type: "input_text", text: "secret" }] },
        says("secret"),
        { ...call("a"), arguments: '{"k":"secret"}' },
      ],
      [{ ...result("a"), output: "secret" }],
      [{ type: "compaction", encrypted_content: "secret" }],
      approval("mcp_approval_request", { id: "m", arguments: "secret" }),
    ] as const;
    for (const row of rows) {
      const redacted = openAiAgentsShape.redact?.(row);
      expect(JSON.stringify(redacted)).not.toContain("secret");
      expect(inspect(redacted)).toEqual(inspect(row));
    }
  });
});
