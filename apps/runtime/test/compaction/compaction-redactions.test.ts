import { describe, expect, test } from "vitest";
import { keptKind, type TestHost } from "../harness/test-host.ts";
import { redact } from "../redaction/redacting.ts";
import { compactingHost, compactionEvents, longTurns, shapeOf, talk } from "./compacting.ts";

const HUSH = "HUSH-1234";
const keep = { unit: "turns", count: 1 } as const;

async function idsOf(host: TestHost, session: string): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of host.state.store.read(session)) ids.push(id);
  return ids;
}

async function fork(host: TestHost, source: string, name: string, at?: number): Promise<string> {
  const { binding } = await host.state.store.head(source);
  const spec = { identity: name, role: "general", launchMode: "fresh" } as const;
  return (await host.runtime.fork(binding!.member, spec, at === undefined ? {} : { at })).sessionId;
}

/** A host whose transcript is redacted while the summary is written, which repeats the text. */
async function redactedMeanwhile(options: { compactAt?: number } = {}) {
  let host: TestHost | undefined;
  let redacted = false;
  host = await compactingHost(longTurns(3), [{ text: `they said ${HUSH}` }], {
    state: keptKind,
    ...options,
    onRequest: async ({ agent, sessionId }) => {
      if (agent !== "compaction" || redacted) return;
      redacted = true;
      await redact(host!, sessionId, { texts: [HUSH] });
    },
  });
  return host;
}

describe("S32: what was redacted", () => {
  test("as a whole goes from the log of each summary that stands for it, a fork's own among them", async () => {
    const host = await compactingHost(longTurns(3), undefined, { state: keptKind });
    const sessionId = await talk(host, ["first", "second"]);
    const late = await fork(host, sessionId, "late");
    const early = await fork(host, sessionId, "early", 4);
    await talk(host, ["another second"], early);
    for (const each of [sessionId, late, early]) await host.runtime.compact({ sessionId: each, keep });
    const told = async (each: string): Promise<string> => JSON.stringify(await compactionEvents(host, each));
    for (const each of [sessionId, late, early]) expect(await told(each)).toContain("SUMMARY of it");
    const ids = await idsOf(host, sessionId);
    await redact(host, sessionId, { texts: [], wholeIds: [ids[5]!] });
    expect(await told(sessionId)).toContain("SUMMARY of it"); // it stayed behind the summary
    await redact(host, sessionId, { texts: [], wholeIds: [ids[2]!] });
    for (const each of [sessionId, late, early]) {
      expect(JSON.stringify(await host.transcript(each))).not.toContain("SUMMARY of it");
      expect(await told(each)).not.toContain("SUMMARY of it");
    }
  });

  test("while somebody's summary is written does not come back by it; the next one is made without it", async () => {
    const host = await redactedMeanwhile();
    const sessionId = await talk(host, [`first ${HUSH}`, "second"]);
    const code = "redacted_meanwhile";
    await expect(host.runtime.compact({ sessionId, keep })).rejects.toMatchObject({ code });
    expect(JSON.stringify(await host.transcript(sessionId))).not.toContain(HUSH);
    expect((await compactionEvents(host, sessionId)).at(-1)!.data).toMatchObject({ code });
    await host.runtime.compact({ sessionId, keep });
    expect(JSON.stringify(host.models.of("compaction").at(-1)!.messages)).toContain("first [redacted]");
  });

  test("while a turn's summary is written is not in the turn's request", async () => {
    const host = await redactedMeanwhile({ compactAt: 1200 });
    await talk(host, [`first ${HUSH}`, "second", "third"]);
    const asked = host.models.requests;
    const compacted = asked.findIndex(({ agent }) => agent === "compaction");
    expect(compacted).toBeGreaterThan(0);
    expect(JSON.stringify(asked[compacted - 1]!.messages)).toContain(HUSH);
    expect(shapeOf(asked[compacted + 1]!)[0]).toBe("user:first [redac");
    expect(JSON.stringify(asked[compacted + 1]!.messages)).not.toContain(HUSH);
  });
});
