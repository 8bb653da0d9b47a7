import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { Recording } from "../../console/state/recording.ts";
import { everyRow } from "../../console/state/row-filter.ts";
import { asOf, linesInOrder } from "../../console/state/time-order.ts";
import { missingIn } from "../../console/state/seen-numbers.ts";
import { lineagePoints, lineageRoots } from "../../console/state/lineage.ts";
import { treeRows } from "../../console/state/tree-rows.ts";
import { SseParser } from "../../console/stream/sse-parser.ts";
import type { BasisEvent } from "../../src/events/event-schema.ts";
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
          filter: everyRow,
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
        expect(linesInOrder(live.store)).toEqual(linesInOrder(replay.store));
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
      fc.property(randomLog, fc.nat(), fc.nat(), (log, count, other) => {
        const numbered = log.filter(({ seq }) => seq !== undefined);
        const recording = new Recording();
        recording.text(linesOf(numbered).join("\n"));
        const shown = count % (numbered.length + 1);
        const first = modelOf(linesInOrder(recording.store).slice(0, shown));
        expect(comparable(asOf(recording, shown).model)).toEqual(comparable(first));
        // It makes no difference whether it is read on from another moment.
        const from = asOf(recording, other % (numbered.length + 1));
        expect(comparable(asOf(recording, shown, from).model)).toEqual(comparable(first));
        expect(comparable(asOf(recording, numbered.length).model)).toEqual(comparable(recording.model));
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
      problem: "the first is no JSON: the log may be cut off here",
    });
    expect(missingIn(sessions.values())).toEqual({ count: 3, where: "numbers 2 to 4 of session s" });
  });

  test("says in which line of a file the first is that cannot be read, and goes on where it fails itself", () => {
    const recording = new Recording();
    const seqs = [1, 2].map((seq) => JSON.stringify(sampleEvent("notice", marks, { seq })));
    recording.text([seqs[0], "", '{"torn', seqs[1], "{}"].join("\n"));
    expect(recording.model.tally).toMatchObject({
      events: 2,
      broken: 2,
      problem: "line 3 is no JSON: the log may be cut off here",
    });
    const failing = new Recording();
    vi.spyOn(failing.model.sessions, "get").mockImplementationOnce(() => {
      throw new TypeError("it is no session");
    });
    failing.text(seqs.join("\n"));
    expect(failing.model.tally).toMatchObject({
      events: 1,
      broken: 1,
      problem: "line 1 makes this page fail: it is no session",
    });
  });

  // Numbers of a session have no gap: whoever forges one hides nothing behind it.
  test("reads on behind a number out of all proportion, and tells the gap", () => {
    const notice = (seq: number) => ({ ...sampleEvent("notice", marks), run: undefined, seq }) as BasisEvent;
    const model = modelOf(linesOf([1, 2, Number.MAX_SAFE_INTEGER, 3, 3, 4, 6, 5].map(notice)));
    expect(model.sessions.get("s")!.notes.map(({ seq }) => seq)).toEqual([
      1,
      2,
      Number.MAX_SAFE_INTEGER,
      3,
      4,
      6,
      5,
    ]);
    expect(missingIn(model.sessions.values())).toEqual({
      count: Number.MAX_SAFE_INTEGER - 7,
      where: `numbers 7 to ${Number.MAX_SAFE_INTEGER - 1} of session s`,
    });
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
