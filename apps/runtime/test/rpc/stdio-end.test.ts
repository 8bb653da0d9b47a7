import { once } from "node:events";
import { setImmediate as tick } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { openTestHost, type TestHostOptions } from "../harness/test-host.ts";
import { heldModel } from "./support/held-model.ts";
import { RpcClient } from "./support/rpc-client.ts";

async function setUp(options: TestHostOptions = {}) {
  const host = await openTestHost({ agents: { main: [{ text: "done" }] }, ...options });
  return { host, client: new RpcClient(host) };
}

describe("the end of a server over two streams", () => {
  it("that a client leaves stops its turns with their work kept, and answers what it was asked", async () => {
    const model = heldModel();
    const { client, host } = await setUp({ onRequest: model.onRequest });
    const { run, session } = await client.call("runs/start", { prompt: "go" });
    await model.asked;
    const waiting = client.ask("runs/wait", { run });
    client.input.end();
    await once(client.input, "end");
    await tick();
    model.release();
    expect(await waiting).toMatchObject({ result: { status: "stopped", stopped_by: "stop" } });
    expect(await client.ended).toBe("client");
    expect(await host.state.store.head(session)).toMatchObject({
      runTurn: null,
      len: 1,
      lease: { owner: null },
    });
  });

  it("by its signal does the same and refuses what comes meanwhile", async () => {
    const model = heldModel();
    const { client } = await setUp({ onRequest: model.onRequest });
    const { run } = await client.call("runs/start", { prompt: "go" });
    await model.asked;
    const waiting = client.ask("runs/wait", { run });
    await client.call("server/info");
    client.stop();
    await tick();
    model.release();
    expect(await waiting).toMatchObject({ result: { status: "stopped" } });
    expect(await client.ended).toBe("signal");
  });

  it("that comes before a turn has begun refuses it as a server that ends, and not as a failure", async () => {
    const { client } = await setUp();
    const starting = client.ask("runs/start", { prompt: "go" });
    client.input.end();
    expect(await starting).toMatchObject({
      error: { code: -32011, data: { kind: "shutting_down", committed: false } },
    });
    expect(await client.ended).toBe("client");
  });

  it("comes too when the client's reading end breaks", async () => {
    const { client } = await setUp();
    await client.call("server/info");
    client.output.destroy(Object.assign(new Error("broken pipe"), { code: "EPIPE" }));
    expect(await client.ended).toBe("client");
  });
});
