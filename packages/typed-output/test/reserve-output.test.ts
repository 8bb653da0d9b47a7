import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineOutput, reserve, runOutput } from "../src/index.ts";
import { scriptedRunner } from "../src/testing/index.ts";
import { good, total, totalSchema } from "./support/asking.ts";

const named = (name: string, naming: "unique" | "stable" = "unique") =>
  defineOutput({ name, description: "", schema: totalSchema, naming });

describe("reserve", () => {
  // O5
  it("never gives a name twice in 10,000 reservations", () => {
    const names = new Set(Array.from({ length: 10_000 }, () => reserve(total).toolName));
    expect(names.size).toBe(10_000);
  });

  // O5, case 98
  it("makes a legal name of any text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 1_000 }),
        fc.constantFrom("unique", "stable"),
        (name, naming) => {
          expect(reserve(named(name, naming)).toolName).toMatch(/^basis_output_[A-Za-z0-9_]{1,51}$/);
        },
      ),
    );
    expect(reserve(named("")).toolName).toMatch(/^basis_output_output_/);
    expect(reserve(named("🙂")).toolName).toMatch(/^basis_output___?_/);
    expect(reserve(named("quarterly report 2026")).toolName).toMatch(/^basis_output_quarterly_repo_/);
  });

  it("gives one name for ever to equal stable specs, another to any other", () => {
    const name = reserve(named("report", "stable")).toolName;
    expect(reserve(named("report", "stable")).toolName).toBe(name);
    expect(reserve(named("reports", "stable")).toolName).not.toBe(name);
  });

  // case 54
  it("keeps clear of the host's own tools, in any letter case, always in the same way", () => {
    const spec = named("report", "stable");
    const { toolName } = reserve(spec);
    const other = reserve(spec, { taken: [toolName.toUpperCase()] }).toolName;
    expect(other).toBe(`${toolName}_2`);
    expect(reserve(spec, { taken: [toolName, other] }).toolName).toBe(`${toolName}_3`);
  });

  // O6, O7
  it("is used by one run only, and a dropped one is nothing", async () => {
    const reservation = reserve(total);
    expect(Object.isFrozen(reservation)).toBe(true);
    const runner = scriptedRunner([{ terminal: good }, { terminal: good }]);
    const first = await runOutput(runner, reservation, "go");
    const second = await runOutput(runner, reservation, "go");
    expect(first).toMatchObject({ status: "accepted", plan: { toolName: reservation.toolName } });
    expect(second).toMatchObject({ status: "failed", error: { code: "reservation_used" } });
    expect(second.status === "failed" && second.report).toBeUndefined();
    expect(runner.left).toBe(1);
  });
});
