import { newId, type JsonObject } from "@basis/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ForkOperation, SessionRecord, SessionState } from "../../src/index.ts";
import {
  afterNumber,
  blankSession,
  changingOperationColumns,
  conditions,
  memberOfRow,
  operationCells,
  operationColumns,
  operationOfRow,
  pageOf,
  sessionCells,
  sessionColumns,
  sessionOfRow,
  type ColumnForm,
} from "../../src/rules.ts";

/** A form in which nothing stays as it is. */
const packed: ColumnForm<Uint8Array> = {
  text: (text) => Buffer.from(`t${text}`),
  readText: (value) =>
    Buffer.from(value as Uint8Array)
      .toString()
      .slice(1),
  name: (name) => Buffer.from(`n${name}`),
  readName: (value) =>
    Buffer.from(value as Uint8Array)
      .toString()
      .slice(1),
  state: (state) => Buffer.from(`s${state}`),
  readState: (value) =>
    Buffer.from(value as Uint8Array)
      .toString()
      .slice(1) as SessionState,
};

const text = fc.string({ minLength: 1 });
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null });
const usage = fc.record({
  inputTokens: fc.nat(),
  outputTokens: fc.nat(),
  cachedInputTokens: fc.nat(),
  reasoningTokens: fc.nat(),
});
const labels = fc.dictionary(text, text, { noNullPrototype: true });
const json = fc.json().map((source) => JSON.parse(source) as JsonObject);
const claim = fc.record({ epoch: fc.nat(), owner: maybe(text), expiresAt: maybe(fc.nat()) });

const session: fc.Arbitrary<SessionRecord> = fc
  .record({
    state: fc.constantFrom<SessionState>("pending", "ready", "archived", "quarantined", "tombstone"),
    binding: maybe(fc.record({ member: text })),
    len: fc.nat(),
    openCalls: fc.array(text),
    runTurn: maybe(text),
    lease: claim,
    requestHead: maybe(text),
    usage: fc.record({ own: usage, inherited: usage }),
    parent: maybe(fc.record({ sessionId: text, len: fc.nat(), digest: text })),
    spawnedBy: maybe(fc.record({ sessionId: text, runId: text, callId: text })),
  })
  .map((changed) => ({ ...blankSession(newId(0), 7), ...changed }));

const operation: fc.Arbitrary<ForkOperation<unknown>> = fc.record({
  id: text,
  state: fc.constantFrom("committed", "seated", "abandoned"),
  idempotencyKey: maybe(text),
  requestDigest: text,
  request: json,
  source: fc.record({ member: text, sessionId: text, len: fc.nat(), digest: text }),
  child: fc.record({ member: text, role: text, labels, sessionId: text }),
  initialMessage: maybe(json),
  sideStateReset: fc.array(text),
  claim,
  failure: maybe(fc.record({ reason: text, at: fc.nat() })),
  agentIdentity: maybe(text),
  provision: maybe(json),
  createdAt: fc.nat(),
  updatedAt: fc.nat(),
});

describe("the columns of a record", () => {
  test("a session comes back from its row as it was", () => {
    fc.assert(
      fc.property(session, (record) => {
        const row = rowOf(sessionColumns, sessionCells(sessionColumns, record, packed));
        const back = sessionOfRow({ ...row, id: packed.text(record.id) }, packed);
        expect(back).toEqual(record);
        expect(Object.isFrozen(back) && Object.isFrozen(back.lease)).toBe(true);
      }),
    );
  });

  test("an operation comes back from its row as it was, and what changes is a part of it", () => {
    fc.assert(
      fc.property(operation, (record) => {
        const row = rowOf(operationColumns, operationCells(operationColumns, record, packed));
        const ids = {
          source_id: packed.text(record.source.sessionId),
          child_id: packed.text(record.child.sessionId),
        };
        expect(operationOfRow({ ...row, ...ids }, packed)).toEqual(record);
      }),
    );
    expect(operationColumns).toEqual(expect.arrayContaining([...changingOperationColumns]));
    expect(changingOperationColumns).not.toContain("id");
  });

  test("a member without labels has the empty ones", () => {
    const row = { name: "n", session_id: "s", role: "r", labels: null, operation: null, seated_at: 5n };
    const plain = { ...packed, readText: String, readName: String };
    expect(memberOfRow(row, plain)).toEqual({
      member: "n",
      sessionId: "s",
      role: "r",
      labels: {},
      agentIdentity: null,
      operationId: null,
      seatedAt: 5,
    });
  });
});

describe("a page of stored rows", () => {
  test("one row beyond the limit tells of a next page", () => {
    const page = { limit: 2, cursor: (last: number) => `after ${last}` };
    expect(pageOf([1, 2, 3], page)).toEqual({ items: [1, 2], next: "after 2" });
    expect(pageOf([1, 2], page)).toEqual({ items: [1, 2], next: null });
    expect(pageOf([], page)).toEqual({ items: [], next: null });
  });

  test("a cursor that is no number is refused, and none is the beginning", () => {
    expect([afterNumber(undefined), afterNumber("7")]).toEqual([0, 7]);
    expect(() => afterNumber("x")).toThrow(expect.objectContaining({ code: "invalid_request" }));
  });

  test("conditions without a value fall out, and the others are numbered in order", () => {
    const where = conditions<string | number>(
      [
        ["a >", 1],
        ["b =", undefined],
        ["c =", "x"],
      ],
      (number) => `$${number}`,
    );
    expect(where).toEqual({ sql: "a > $1 AND c = $2", values: [1, "x"] });
  });
});

function rowOf(columns: readonly string[], cells: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(columns.map((column, index) => [column, cells[index]]));
}
