import { manualClock } from "@basis/core/testing";
import { describe, expect, it } from "vitest";
import { loadShellParser } from "../../src/commands/bash-grammar.ts";
import { openCommandRules } from "../../src/commands/index.ts";
import { decideByRules } from "../../src/index.ts";
import { shellCall, storedRules } from "./corpus.ts";

const slow = "a=(".repeat(400);

/** A clock that shows 150 ms more each time it is looked at. */
function hastyClock() {
  const clock = manualClock();
  return { ...clock, monotonicMs: () => (clock.advance(150), clock.monotonicMs()) };
}

// S39
describe("a text that keeps the parser busy", () => {
  it("is given up, and the parser reads on", async () => {
    const parse = await loadShellParser(hastyClock());
    expect(() => parse(slow, () => "read")).toThrow("the shell parser was stopped after 200 ms");
    expect(parse("ls", (root) => root.hasError)).toBe(false);
  });

  it("is allowed by nothing and denied by any denial for commands", async () => {
    const says = (body: string, commands: Awaited<ReturnType<typeof openCommandRules>>) =>
      decideByRules(storedRules("no rm"), shellCall(body), { nowMs: 1, commands })?.effect;
    const hasty = await openCommandRules({ clock: hastyClock() });
    expect(says(`ls; ${slow}`, hasty)).toBe("deny");
    expect(says("ls", hasty)).toBe("allow");
    const reading = storedRules("reading");
    expect(decideByRules(reading, shellCall(`ls; ${slow}`), { nowMs: 1, commands: hasty })).toBeUndefined();
  });
});
