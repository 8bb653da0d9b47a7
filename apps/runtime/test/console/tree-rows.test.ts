import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { filterKinds, filterOf } from "../../console/state/filter.ts";
import type { FilterKind } from "../../console/state/row-filter.ts";
import { highlightsOf } from "../../console/state/highlights.ts";
import type { Model } from "../../console/state/model.ts";
import { treeRows, type Row } from "../../console/state/tree-rows.ts";
import { linesOf, modelOf, randomLog } from "./support/random-log.ts";
import { sampleData, sampleEvent } from "./support/sample-events.ts";

const marks = { session: "s", run: "r", number: 1 };
const child = { session: "s-child1", run: "c", number: 2 };
const told = [
  sampleEvent("run_started", marks),
  sampleEvent("user_message", { ...marks, number: 0 }),
  sampleEvent("assistant_message", marks),
  sampleEvent("tool_queued", marks),
  sampleEvent("hook_decided", marks),
  sampleEvent("child_started", marks),
  sampleEvent("tool_completed", marks),
  sampleEvent("assistant_message", { ...marks, number: 3 }),
  sampleEvent("fork_committed", marks),
].map((event, index) => ({ ...event, seq: index + 1 }));
const childTold = [sampleEvent("run_started", child), sampleEvent("notice", child)].map((event, index) => ({
  ...event,
  seq: index + 1,
}));
const model = modelOf(linesOf([...told, ...childTold]));

function rowsOf(
  from: Model,
  choice: { closed?: string[]; text?: string; kinds?: FilterKind[] } = {},
): readonly Row[] {
  const roots = from === model ? [from.sessions.get("s")!] : [...from.sessions.values()];
  const filter = filterOf(choice.text ?? "", new Set(choice.kinds));
  return treeRows(from, { roots, closed: new Set(choice.closed), filter });
}

const shape = (rows: readonly Row[]): readonly string[] =>
  rows.map(({ node, depth }) => `${" ".repeat(depth)}${node.kind}`);

describe("the rows of a tree", () => {
  test("are sessions, runs, rounds, calls, and below a call the child that it started", () => {
    expect(shape(rowsOf(model))).toEqual([
      "session",
      " run",
      "  round",
      "   call",
      "    run",
      "     note",
      "  round",
      " fork",
    ]);
  });

  test("leave out what is in a closed one, and say so", () => {
    const [run] = rowsOf(model).filter(({ node }) => node.kind === "run");
    const rows = rowsOf(model, { closed: [run!.key] });
    expect(shape(rows)).toEqual(["session", " run", " fork"]);
    expect(rows.map(({ open }) => open)).toEqual([true, false, undefined]);
  });

  test("keep with a filter what it admits and what that stands in, closed or not", () => {
    expect(shape(rowsOf(model, { text: "SOMETHING" }))).toEqual([
      "session",
      " run",
      "  round",
      "   call",
      "    run",
      "     note",
    ]);
    const kinds = (kind: FilterKind): readonly string[] => shape(rowsOf(model, { kinds: [kind] })).slice(-1);
    expect(kinds("changed")).toEqual(["   call"]);
    expect(kinds("children")).toEqual([" fork"]);
    expect(kinds("stopped")).toEqual([]);
  });

  test("end, though a made-up log has a child that starts its own parent", () => {
    const circle = sampleEvent("child_started", child, {
      seq: 3,
      data: { ...sampleData(child).child_started, child_session: "s" },
    });
    const rows = rowsOf(modelOf(linesOf([...told, ...childTold, circle])));
    expect(rows.length).toBeLessThan(30);
  });

  test("have keys of their own, and a filter shows none that is not there without it", () => {
    fc.assert(
      fc.property(
        randomLog,
        fc.subarray([...filterKinds]),
        fc.constantFrom("", "do", "member1"),
        (log, kinds, text) => {
          const from = modelOf(linesOf(log));
          const all = new Set(rowsOf(from).map(({ key }) => key));
          for (const { key } of rowsOf(from, { kinds, text })) expect(all).toContain(key);
          for (const session of from.sessions.values()) {
            const rows = treeRows(from, {
              roots: [session],
              closed: new Set(),
              filter: filterOf("", new Set()),
            });
            expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

test("what is worth a look in a session is there as a row of its tree", () => {
  fc.assert(
    fc.property(randomLog, (log) => {
      const from = modelOf(linesOf(log));
      for (const session of from.sessions.values()) {
        const rows = treeRows(from, { roots: [session], closed: new Set(), filter: filterOf("", new Set()) });
        const keys = new Set(rows.map(({ key }) => key));
        for (const { row } of highlightsOf(from, session)) expect(keys).toContain(row);
      }
    }),
    { numRuns: 60 },
  );
});
