import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { asOf, Recording } from "../../console/state/recording.ts";
import { filterOf } from "../../console/state/filter.ts";
import { lineagePoints, lineageRoots } from "../../console/state/lineage.ts";
import { treeRows } from "../../console/state/tree-rows.ts";
import { SseParser } from "../../console/stream/sse-parser.ts";
import { comparable, linesOf, modelOf, randomLog } from "./support/random-log.ts";
import { sampleData, sampleEvent } from "./support/sample-events.ts";

const marks = { session: "s", run: "r", number: 1 };

// runtime.md 6: the page shows what the log tells, whichever way it came.
describe("the reducer", () => {
  test("takes any beginning of any log, whatever stands in between", () => {
    fc.assert(
      fc.property(randomLog, fc.nat(), fc.array(fc.string()), (log, count, junk) => {
        const lines = [...linesOf(log).slice(0, count % (log.length + 1)), ...junk];
        const model = modelOf(lines);
        const rows = treeRows(model, {
          roots: [...model.sessions.values()],
          closed: new Set(),
          filter: filterOf("", new Set()),
        });
        expect(new Set(rows.map(({ key }) => key)).size).toBeLessThanOrEqual(rows.length);
        for (const root of lineageRoots(model)) lineagePoints(model, root);
      }),
      { numRuns: 50 },
    );
  });

  test("makes the same of a stream, in whatever pieces it comes, as of the log in a file", () => {
    fc.assert(
      fc.property(randomLog, fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (log, cuts) => {
        const lines = linesOf(log);
        const stream = lines.map((line, index) => `id: ${index}\ndata: ${line}\n\n: beat\n\n`).join("");
        const parser = new SseParser();
        const live = new Recording();
        for (let at = 0, cut = 0; at < stream.length; cut += 1) {
          const size = cuts[cut % cuts.length]!;
          for (const { data } of parser.push(stream.slice(at, at + size))) live.line(data);
          at += size;
        }
        const replay = new Recording();
        replay.text(lines.join("\n"));
        expect(comparable(live.model)).toEqual(comparable(replay.model));
        expect([...live.store.inOrder()]).toEqual([...replay.store.inOrder()]);
      }),
      { numRuns: 50 },
    );
  });

  test("makes the same of a log however its sessions are mixed", () => {
    fc.assert(
      fc.property(randomLog, (log) => {
        const apart = log.toSorted((a, b) => (a.session < b.session ? -1 : Number(a.session > b.session)));
        expect(comparable(modelOf(linesOf(apart)))).toEqual(comparable(modelOf(linesOf(log))));
      }),
      { numRuns: 50 },
    );
  });

  test("makes nothing more of events that come twice", () => {
    fc.assert(
      fc.property(randomLog, (log) => {
        const numbered = linesOf(log.filter(({ seq }) => seq !== undefined));
        expect(comparable(modelOf([...numbered, ...numbered]))).toEqual(comparable(modelOf(numbered)));
      }),
      { numRuns: 50 },
    );
  });

  test("shows a log as it was after its first events", () => {
    fc.assert(
      fc.property(randomLog, fc.nat(), (log, count) => {
        const numbered = log.filter(({ seq }) => seq !== undefined);
        const recording = new Recording();
        recording.text(linesOf(numbered).join("\n"));
        const shown = count % (numbered.length + 1);
        const first = [...recording.store.inOrder(shown)];
        expect(comparable(asOf(recording, shown))).toEqual(comparable(modelOf(first)));
        expect(comparable(asOf(recording, numbered.length))).toEqual(comparable(recording.model));
      }),
      { numRuns: 50 },
    );
  });

  test("counts what it cannot read, and says what the first of it is", () => {
    const { tally, sessions } = modelOf([
      "torn",
      JSON.stringify({ ...sampleEvent("notice", marks, { seq: 1 }), type: "levitated" }),
      JSON.stringify(sampleEvent("notice", marks, { seq: 5 })),
      '{"v":2}',
    ]);
    expect(tally).toEqual({
      events: 2,
      unknown: new Map([["levitated", 1]]),
      broken: 2,
      problem: "is no JSON: the log may be cut off here",
    });
    expect(sessions.get("s")).toMatchObject({ last: 5, missing: 3 });
  });

  test("puts the calls that come without their message under a stand-in for it", () => {
    const model = modelOf(linesOf([sampleEvent("tool_queued", marks, { seq: 9 })]));
    const [run] = model.sessions.get("s")!.runs.values();
    expect(run!.rounds).toHaveLength(1);
    expect(run!.rounds[0]!.calls[0]).toMatchObject({ tool: "run", summary: "ls" });
  });

  test("takes the messages away that a cancelled turn rolled back", () => {
    const { run_finished: ended } = sampleData(marks);
    const model = modelOf(
      linesOf([
        sampleEvent("user_message", { ...marks, number: 0 }, { seq: 1 }),
        sampleEvent("user_message", { ...marks, number: 1 }, { seq: 2 }),
        sampleEvent("run_finished", marks, {
          seq: 3,
          data: { ...ended, status: "cancelled", rolled_back_to: 1 },
        }),
      ]),
    );
    expect([...model.sessions.get("s")!.messages]).toEqual([[0, 1]]);
  });
});
