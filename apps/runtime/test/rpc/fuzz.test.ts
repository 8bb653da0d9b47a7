import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openTestHost } from "../harness/test-host.ts";
import { malformed } from "./support/malformed.ts";
import { RpcClient, type Answer } from "./support/rpc-client.ts";

const MALFORMED = 20_000;
const AT_ONCE = 500;

describe("a server", () => {
  it(
    "refuses 20,000 malformed calls, each with an answer, and does nothing",
    { timeout: 120_000 },
    async () => {
      const host = await openTestHost({ agents: { main: [{ text: "done" }] } });
      const client = new RpcClient(host);
      const messages = fc.sample(malformed, { numRuns: MALFORMED, seed: 7 });
      for (let from = 0; from < messages.length; from += AT_ONCE) {
        const batch = messages.slice(from, from + AT_ONCE);
        client.write(`${batch.join("\n")}\n`);
        await client.nth(from + batch.length);
      }
      expect(client.received).toHaveLength(MALFORMED);
      const answers = client.received.flat() as readonly Answer[];
      const accepted = answers.filter(({ error }) => error === undefined);
      expect(accepted).toEqual([]);
      expect(new Set(answers.map(({ error }) => error!.code))).toEqual(
        new Set([-32700, -32600, -32601, -32602]),
      );
      expect(client.unforeseen).toEqual([]);
      expect(await client.call("sessions/list")).toEqual({ sessions: [], next: null });
      const { run } = await client.call("runs/start", { prompt: "go" });
      expect(await client.call("runs/wait", { run })).toMatchObject({ text: "done" });
    },
  );

  it("answers what is no UTF-8 and what is too long, and goes on", async () => {
    const client = new RpcClient(await openTestHost());
    client.write(Buffer.from([0xff, 0xfe, 0x0a]));
    expect(await client.nth(1)).toMatchObject({ id: null, error: { code: -32700 } });
    client.write(Buffer.alloc(5 * 1024 * 1024, "x"));
    client.write("\n");
    expect(await client.nth(2)).toMatchObject({
      id: null,
      error: { message: expect.stringContaining("at most") },
    });
    expect(await client.call("server/info")).toMatchObject({ name: "basis", protocol: 1 });
  });
});
