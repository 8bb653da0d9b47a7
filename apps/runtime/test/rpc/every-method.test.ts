import { expect, it } from "vitest";
import { fixedWorkspace } from "../../src/host/live-workspace.ts";
import { everyMethod } from "../../src/rpc/methods/every-method.ts";
import { rpcCode } from "../../src/rpc/rpc-error.ts";
import { ServerTurns } from "../../src/rpc/server-turns.ts";
import { openTestHost } from "../harness/test-host.ts";
import { connect } from "./support/client.ts";

it("every method is listed, is the one that is loaded by its name, and is as urgent", async () => {
  const host = await openTestHost();
  const { runtime, dataDir } = host;
  const workspace = fixedWorkspace(host.facts);
  const turns = new ServerTurns(runtime, workspace);
  const entries = everyMethod({ runtime, workspace, turns, env: {}, dataDir });
  for (const entry of entries) {
    const loaded = "load" in entry ? await entry.load() : entry;
    expect([loaded.name, loaded.urgent ?? false]).toEqual([entry.name, entry.urgent ?? false]);
  }
  const { methods } = await connect(host).call("server/info");
  expect(methods).toEqual(entries.map(({ name }) => name).toSorted());
});

it("what a server is takes no parameters", async () => {
  const client = connect(await openTestHost());
  const { code, data } = await client.refusal("server/info", { verbose: true });
  expect([code, data["issues"]]).toEqual([
    rpcCode.invalid_params,
    [{ path: "", message: expect.any(String) }],
  ]);
});
