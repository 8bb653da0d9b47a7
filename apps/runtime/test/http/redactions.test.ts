import { describe, expect, it } from "vitest";
import { openTestHost, stateKinds } from "../harness/test-host.ts";
import { HttpClient } from "./support/http-client.ts";
import { framesOf, Seen } from "./support/stream-client.ts";

const times = { pollMs: 10, beatMs: 1000 };

// S32
describe.each(stateKinds)("a stream, with the state in %s", (state) => {
  it("tells what was redacted while it is open, and to who comes later how much was before", async () => {
    const host = await openTestHost({ state, agents: { main: [{ text: "one" }] } });
    const client = new HttpClient(host, { times });
    const { run, session } = await client.call("runs/start", { prompt: "hunter2", member: "writer" });
    await client.call("runs/wait", { run });
    const { store } = host.state;
    const controlsUntil = async (
      control: string,
      then?: () => Promise<unknown>,
    ): Promise<Seen["controls"]> => {
      const hangUp = new AbortController();
      const seen = new Seen();
      for await (const frame of framesOf(await client.fetch("/events", { signal: hangUp.signal }))) {
        seen.take(frame);
        if (seen.controls.length === 1) await then?.();
        if (JSON.stringify(seen.controls).includes(`"${control}"`)) break;
      }
      hangUp.abort();
      return seen.controls.slice(1);
    };
    const redact = async (): Promise<void> => {
      const ids: string[] = [];
      for await (const { id } of store.read(session as string, { from: 0, to: 1 })) ids.push(id);
      await store.upkeep!.redact({ sessionId: session as string, messageIds: ids });
    };
    expect(await controlsUntil("redacted", redact)).toEqual([{ control: "redacted", count: 1 }]);
    expect(await controlsUntil("redactions")).toEqual([{ control: "redactions", count: 1 }]);
  });
});
