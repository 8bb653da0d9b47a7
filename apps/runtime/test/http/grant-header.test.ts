import { describe, expect, it } from "vitest";
import { forgetGrantToken, makeGrantToken } from "../../src/approvals/grant-token.ts";
import { headersOf } from "../../src/http/request-headers.ts";
import { probeTool } from "../harness/probe-tool.ts";
import { RecordingApprover } from "../harness/recording-approver.ts";
import { openTestHost } from "../harness/test-host.ts";
import { HttpClient } from "./support/http-client.ts";

async function park() {
  const probe = probeTool("probe", { level: "process" });
  const agents = { main: [{ calls: [{ name: "probe", input: { value: "1" } }] }, { text: "done" }] };
  const approver = new RecordingApprover({ decision: "park" });
  const host = await openTestHost({ agents, approver, tools: [probe] });
  const client = new HttpClient(host);
  const { run } = await client.call("runs/start", { prompt: "go", member: "writer" });
  const { approval_id: approval } = await client.call("runs/wait", { run });
  const call = { jsonrpc: "2.0", id: 1, method: "approvals/answer", params: { approval, decision: "allow" } };
  const answer = async (headers: Record<string, string>): Promise<any> =>
    (await client.post(JSON.stringify(call), headers)).json();
  return { host, client, answer };
}

// S6, S38, ADR 0043
describe("a page answers a call that waits", () => {
  it("with the token that a person holds out in the header, and in no message", async () => {
    const { host, client, answer } = await park();
    const token = makeGrantToken(host.dataDir);
    expect(await answer({ "basis-grant": token })).toMatchObject({
      result: { decision: "allow", member: "writer" },
    });
    const { approvals } = await client.call("approvals/list", { all: true });
    expect(approvals).toMatchObject([{ answered_by: expect.stringMatching(/ with the token$/) }]);
    expect(JSON.stringify(approvals)).not.toContain(token);
  });

  it("not with the server's token alone, a wrong one, one of before, or one that stands twice", async () => {
    const { host, client, answer } = await park();
    const refused = { error: { message: expect.any(String), data: { committed: false } } };
    expect(await answer({})).toMatchObject({ error: { data: { kind: "credential_missing" } } });
    expect(await answer({ "basis-grant": "x".repeat(43) })).toMatchObject(refused);
    const before = makeGrantToken(host.dataDir);
    const token = makeGrantToken(host.dataDir);
    expect(await answer({ "basis-grant": before })).toMatchObject(refused);
    expect(await answer({ "basis-grant": "" })).toMatchObject(refused);
    expect(headersOf(["Basis-Grant", token, "basis-grant", token])).toMatchObject({
      error: "duplicate_header",
    });
    forgetGrantToken(host.dataDir);
    expect(await answer({ "basis-grant": token })).toMatchObject(refused);
    expect(await client.call("approvals/list")).toMatchObject({ approvals: [{ state: "open" }] });
  });
});
