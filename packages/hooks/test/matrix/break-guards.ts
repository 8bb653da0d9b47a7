import { expect, it } from "vitest";
import { makeFixture } from "../node/workspace-fixture.ts";
import type { BrokenGuard, GuardMode } from "./broken-guard.ts";
import { CELLS, GuardMatrix, type CellResult } from "./guard-cells.ts";

/** By how much the host may grow, whatever its guards print. */
const GROWTH_BYTES = 150 * 1024 * 1024;

const BEHAVED = ["allow", "allow", "allow", "allow"];

/** A test of each way: every cell, the control beside it, and nothing left running. */
export function breakGuards(mode: GuardMode, guards: readonly BrokenGuard[]): void {
  it.each(guards.map((guard) => [guard.name, guard] as const))("%s", async (_name, guard) => {
    const matrix = new GuardMatrix(guard, mode, await makeFixture());
    await matrix.open();
    const before = process.memoryUsage().rss;
    for (const result of await askAll(matrix, guard)) {
      expect(matrix.factsOf(result)).toEqual(matrix.rightFactsOf(result));
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(GROWTH_BYTES);
    expect(await matrix.behave("pre_tool_use")).toEqual(BEHAVED);
    expect(await matrix.behave("post_tool_use")).toEqual(BEHAVED);
    expect((await matrix.closeAndCount()) > 0).toBe(guard.escapes === true);
  });
}

/** All at once, or one after another where the guard prints without end. */
async function askAll(matrix: GuardMatrix, guard: BrokenGuard): Promise<readonly CellResult[]> {
  if (guard.isLarge !== true) return Promise.all(CELLS.map((cell) => matrix.ask(cell, "break")));
  const results: CellResult[] = [];
  for (const cell of CELLS) results.push(await matrix.ask(cell, "break"));
  return results;
}
