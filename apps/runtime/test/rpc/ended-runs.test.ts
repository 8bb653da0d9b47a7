import { systemClock } from "@basis/core";
import { describe, expect, it } from "vitest";
import { removeSession } from "../../src/host/session-removal.ts";
import { rpcCode } from "../../src/rpc/rpc-error.ts";
import { keptKind, openTestHost } from "../harness/test-host.ts";
import { redact, signal } from "../redaction/redacting.ts";
import { connect } from "./support/client.ts";

const HUSH = "HUSH-1234";
const schema = { type: "object", properties: { word: { type: "string" } }, required: ["word"] };

async function ended() {
  const rounds = [{ text: `it is ${HUSH}` }, { terminal: JSON.stringify({ word: HUSH }) }];
  const host = await openTestHost({ state: keptKind, agents: { main: rounds } });
  const client = connect(host);
  const { run: prose, session } = await client.call("runs/start", { prompt: "go" });
  const proseEnd = await client.call("runs/wait", { run: prose });
  const { run: typed } = await client.call("runs/start", { prompt: "answer", session, output: { schema } });
  const typedEnd = await client.call("runs/wait", { run: typed });
  expect([proseEnd.text, typedEnd.output.value]).toEqual([`it is ${HUSH}`, { word: HUSH }]);
  return { host, client, session, runs: { prose, typed }, ends: { proseEnd, typedEnd } };
}

// S32
describe("how a turn ended", () => {
  it("is told without what was redacted since, and else as before", async () => {
    const { host, client, session, runs, ends } = await ended();
    expect(await client.call("runs/wait", { run: runs.typed })).toEqual(ends.typedEnd);
    await redact(host, session, { texts: [HUSH] });
    const text = "it is [redacted]";
    expect(await client.call("runs/wait", { run: runs.prose })).toEqual({ ...ends.proseEnd, text });
    const output = { ...ends.typedEnd.output, value: { word: "[redacted]" } };
    expect(await client.call("runs/wait", { run: runs.typed })).toEqual({ ...ends.typedEnd, output });
  });

  it("is not told of a session that was removed", async () => {
    const { host, client, session, runs } = await ended();
    const { forks } = host.runtime;
    const ports = { ...host.state, forks, clock: systemClock, signal };
    expect(await removeSession(ports as never, await host.state.store.head(session))).toBe(true);
    for (const run of Object.values(runs))
      expect(await client.refusal("runs/wait", { run })).toMatchObject({ code: rpcCode.not_found });
  });
});
