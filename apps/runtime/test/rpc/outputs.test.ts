import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeGrantToken } from "../../src/approvals/grant-token.ts";
import { rpcCode } from "../../src/rpc/rpc-error.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { calls, openTestHost, stateKinds, type TestHostOptions } from "../harness/test-host.ts";
import { connect } from "./support/client.ts";
import { heldModel } from "./support/held-model.ts";

const schema = { type: "object", properties: { verdict: { enum: ["good", "bad"] } }, required: ["verdict"] };
const output = { name: "verdict", schema };
const answer = (verdict: string) => calls({ name: "$output", input: { verdict } });

async function setUp(rounds: readonly object[], options: TestHostOptions = {}) {
  const host = await openTestHost({ agents: { main: rounds }, ...options });
  const client = connect(host);
  const run = async (params: object): Promise<any> => {
    const { run: id } = await client.call("runs/start", params as never);
    return client.call("runs/wait", { run: id });
  };
  return { host, client, run };
}

describe.each(stateKinds)("a turn that answers with a value, with the state in %s", (state) => {
  it("ends with the value", async () => {
    const { run } = await setUp([answer("good")], { state });
    expect(await run({ prompt: "judge", output })).toMatchObject({
      status: "completed",
      output: { status: "accepted", attempts: 1, value: { verdict: "good" }, normalized: false },
    });
  });

  it("that waits goes on with the same output alone", async () => {
    const approver = new RecordingApprover({ decision: "park" });
    const tools = [probeTool("probe")];
    const rounds = [calls({ name: "probe", input: { value: "x" } }), answer("bad")];
    const { host, client, run } = await setUp(rounds, { state, approver, tools });
    const working = { ...output, with_tools: true };
    const parked = await run({ prompt: "judge", member: "judge", output: working });
    expect(parked).toMatchObject({ status: "parked", output: { status: "parked" } });
    const token_file = join(dirname(host.root), "token");
    writeFileSync(token_file, makeGrantToken(host.dataDir), { mode: 0o600 });
    await client.call("approvals/answer", { approval: parked.approval_id, decision: "allow", token_file });
    expect(await client.refusal("runs/start", { session: "judge" })).toMatchObject({
      code: rpcCode.invalid_params,
      data: { kind: "other_output", issues: [{ path: "output" }] },
    });
    const other = { ...working, schema: { type: "object" } };
    expect(await client.refusal("runs/start", { session: "judge", output: other })).toMatchObject({
      data: { kind: "other_output" },
    });
    expect(await run({ session: "judge", output: working })).toMatchObject({
      status: "completed",
      output: { status: "accepted", value: { verdict: "bad" } },
    });
  });
});

describe("a turn without the value that it was run for", () => {
  it("has failed, and says what was wrong with the last one", async () => {
    const { run } = await setUp([answer("x"), answer("y"), answer("z")]);
    expect(await run({ prompt: "judge", output })).toMatchObject({
      status: "failed",
      output: { status: "mismatch", at: "schema", attempts: 3, issues: [{ pointer: "/verdict" }] },
    });
  });

  it("was stopped where it was stopped", async () => {
    const model = heldModel();
    const { client } = await setUp([answer("good")], { onRequest: model.onRequest });
    const { run } = await client.call("runs/start", { prompt: "judge", output });
    await model.asked;
    await client.call("runs/stop", { run });
    model.release();
    const end = await client.call("runs/wait", { run });
    expect(end).toMatchObject({ status: "stopped", stopped_by: "stop", output: { status: "missing" } });
  });

  it.each([
    ["no schema", {}, "output.schema"],
    ["a schema that is none", { schema: [1] }, "output.schema"],
    [
      "a keyword that is wrong",
      { schema: { type: "object", properties: { a: { type: "text" } } } },
      "output.schema",
    ],
    ["a reference to elsewhere", { schema: { $ref: "http://elsewhere.example/x" } }, "output.schema"],
    ["an expression that is none", { schema: { type: "string", pattern: "(" } }, "output.schema"],
    ["a name that is none", { schema, name: "no name" }, "output.name"],
    ["a field that is unknown", { schema, file: "/etc/passwd" }, "output"],
  ])("is refused before it begins, with %s", async (_what, given, path) => {
    const { client } = await setUp([]);
    const { code, data } = await client.refusal("runs/start", { prompt: "judge", output: given as never });
    expect(code).toBe(rpcCode.invalid_params);
    expect((data["issues"] as { path: string }[])[0]!.path).toMatch(new RegExp(`^${path}`));
    expect(await client.call("sessions/list")).toMatchObject({ sessions: [] });
  });
});
