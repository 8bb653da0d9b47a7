import { describe, expect, test } from "vitest";
import type { MemorySession } from "../../src/memory/memory-session.ts";
import { playInterleaving, type Interleaving } from "./interleaving.ts";
import { checkWorld } from "./oracle.ts";

/** A case that leaves a seated fork, an acknowledged append to a living session and a redacted row. */
async function played(): Promise<Interleaving> {
  for (let seed = 0; ; seed += 1) {
    const end = await playInterleaving(seed);
    const { state, redacted } = end.world;
    const isFull = [...redacted].some((id) => redactedRow(end, id) !== undefined);
    if (isFull && end.world.keys.size > 0 && acknowledged(end) !== undefined && state.members.size > 1)
      return end;
  }
}

function acknowledged({ world }: Interleaving): { session: MemorySession; position: number } | undefined {
  for (const { sessionId, result } of world.appends) {
    const session = world.state.session(sessionId);
    const isLast = result.from + result.ids.length === session.record.len;
    if (session.record.state === "ready" && isLast) return { session, position: session.record.len - 1 };
  }
  return undefined;
}

function redactedRow({ world }: Interleaving, id: string) {
  for (const session of world.state.sessions.values()) {
    if (session.record.state === "tombstone") continue;
    for (let position = 0; position < session.record.len; position += 1) {
      const row = world.state.rowAt(session, position);
      if (row?.id === id) return row;
    }
  }
  return undefined;
}

/** Ways in which a store could go wrong, each done to one that did not. */
const WRONGS: Readonly<Record<string, (end: Interleaving) => void>> = {
  "is lost though it was acknowledged": (end) => {
    const { session, position } = acknowledged(end)!;
    const { writer, seq } = end.world.state.rowAt(session, position)!;
    end.world.state.session(writer).log.delete(seq);
  },
  "says something else": (end) => {
    const { session, position } = acknowledged(end)!;
    const row = end.world.state.rowAt(session, position)!;
    end.world.state.session(row.writer).log.set(row.seq, { ...row, blob: null, bodyText: '"other"' });
  },
  "is readable again after a redaction": (end) => {
    for (const id of end.world.redacted) {
      const row = redactedRow(end, id);
      if (row) end.world.state.session(row.writer).log.set(row.seq, { ...row, salt: "salt" });
    }
  },
  "has spans that overlap": (end) => {
    const { session } = acknowledged(end)!;
    session.spans = [...session.spans, session.spans.at(-1)!];
  },
  "has a second child of one key": ({ world }) => {
    const operation = world.state.operations.get([...world.keys.values()][0]!)!;
    world.state.operations.set("second", { ...operation, id: "second" });
  },
  "has an operation that is open again": ({ world }) => {
    const [id] = [...world.ends].find(([, end]) => end === "seated")!;
    world.state.operations.set(id, { ...world.state.operations.get(id)!, state: "committed" });
  },
  "has a member whose session knows nothing of it": (end) => {
    const { session } = acknowledged(end)!;
    session.record = { ...session.record, binding: null };
  },
};

describe("the look at a world after each turn", () => {
  test("finds nothing wrong with a store that did all right", async () => {
    const end = await played();
    expect(() => checkWorld(end.world, end.seen)).not.toThrow();
  });

  test.each(Object.entries(WRONGS))("finds out when something %s", async (_, wrong) => {
    const end = await played();
    wrong(end);
    expect(() => checkWorld(end.world, end.seen)).toThrow(/row|span|children|not seated|child is|free/);
  });
});
