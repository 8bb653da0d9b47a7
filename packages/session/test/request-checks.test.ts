import { isSessionError } from "@mobkit/session";
import { describe, expect, test } from "vitest";
import { checkCount, checkLabels, checkName, checkTtl, keepJson, pageLimit } from "../src/request-checks.ts";

/** The field that a check refuses, or what it answers. */
function outcome(check: () => unknown): unknown {
  try {
    return check();
  } catch (error) {
    return isSessionError(error, "invalid_request") ? `refuses ${error.details.field}` : error;
  }
}

describe("request checks", () => {
  test("accept names that every database keeps, and no other", () => {
    for (const name of ["a", "mk--x", "日本", "😀", "a b", "x".repeat(512)]) {
      expect(outcome(() => checkName("member", name))).toBe(name);
    }
    for (const name of ["", "a\0b", "\ud83d", "x".repeat(513), 7, null, undefined]) {
      expect(outcome(() => checkName("member", name))).toBe("refuses member");
    }
  });

  test("accept labels of any key, sorted and frozen", () => {
    const labels = checkLabels({ b: "2", a: "", constructor: "c" });
    expect(JSON.stringify(labels)).toBe('{"a":"","b":"2","constructor":"c"}');
    expect(Object.isFrozen(labels)).toBe(true);
    expect(checkLabels(undefined)).toEqual({});
    expect(outcome(() => checkLabels({ "": "x" }))).toBe("refuses labels");
    expect(outcome(() => checkLabels({ a: 1 as never }))).toBe("refuses labels.a");
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`k${index}`, "v"]));
    expect(outcome(() => checkLabels(many))).toBe("refuses labels");
  });

  test("accept whole numbers in their range", () => {
    expect(outcome(() => checkCount("to", 0))).toBe(0);
    for (const value of [-1, 0.5, Number.NaN, 2 ** 53, "1"]) {
      expect(outcome(() => checkCount("to", value))).toBe("refuses to");
    }
    expect(outcome(() => checkTtl(3_600_000))).toBe(3_600_000);
    expect(outcome(() => checkTtl(0))).toBe("refuses ttlMs");
    expect(pageLimit(undefined)).toBe(100);
    expect(outcome(() => pageLimit({ limit: 1001 }))).toBe("refuses limit");
  });

  test("keep a frozen copy of JSON, and refuse what is none", () => {
    const mine = { list: [1] };
    const kept = keepJson("request", mine);
    mine.list.push(2);
    expect(kept).toEqual({ list: [1] });
    expect(Object.isFrozen(kept.list)).toBe(true);
    expect(outcome(() => keepJson("request", 1n as never))).toBe("refuses request");
  });
});
