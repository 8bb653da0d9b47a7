import { describe, expect, it } from "vitest";
import { countTests } from "../count-tests.mjs";
import { missingEvents } from "../demo-events.mjs";

describe("counting tests", () => {
  const report = (over: object) =>
    JSON.stringify({ numPassedTests: 7, numFailedTests: 0, testResults: [], ...over });

  it("adds up a report", () => {
    expect(countTests(report({}))).toEqual({ passed: 7, failed: 0 });
    const failed = { status: "failed", assertionResults: [{ status: "failed" }] };
    expect(countTests(report({ numFailedTests: 1, testResults: [failed] }))).toEqual({
      passed: 7,
      failed: 1,
    });
  });

  it("counts a file that broke before its tests", () => {
    const broken = { status: "failed", assertionResults: [] };
    expect(countTests(report({ testResults: [broken] }))).toEqual({ passed: 7, failed: 1 });
  });

  it("counts a missing report as a failure", () => {
    expect(countTests("")).toEqual({ passed: 0, failed: 1 });
    expect(countTests("{}")).toEqual({ passed: 0, failed: 1 });
  });
});

describe("the demo's events", () => {
  const types = ["child_previewed", "child_finished", "hook_failed", "output_rejected", "output_accepted"];
  const forks = ["fork_committed", "fork_provisioned", "fork_failed", "fork_recovered"];
  const events = [
    ...[...types, ...forks].map((type) => ({ type, data: {} })),
    ...["deny", "modify", "replace"].map((decision) => ({ type: "hook_decided", data: { decision } })),
  ];
  const log = (list: object[]) => list.map((event) => `${JSON.stringify(event)}\n`).join("");

  it("are complete", () => {
    expect(missingEvents(log(events))).toEqual([]);
  });

  it.each(events.map((_event, index) => index))("are incomplete without number %i", (index) => {
    expect(missingEvents(log(events.toSpliced(index, 1)))).toHaveLength(1);
  });

  it("are JSON lines and nothing else", () => {
    expect(missingEvents("installing…\n")).toEqual([expect.stringContaining("line 1 is not JSON")]);
  });
});
