import { describe, expect, it } from "vitest";
import { costLines, costProblems } from "../packed/cost-table.mjs";
import { companions } from "../packed/entry-costs.mjs";

const cost = {
  specifier: "@basis/hooks",
  installedBytes: 513_400,
  packages: 1,
  strangers: [],
  gzipBytes: 9_100,
  outside: [],
  starts: 0.25,
  ms: 10,
};
const problems = (
  over: Partial<Omit<typeof cost, "outside" | "strangers">> & Record<string, unknown>,
): string => costProblems([{ ...cost, ...over }]).join("\n");

describe("what an entry costs", () => {
  it("is a line of a table", () => {
    expect(costLines([cost]).at(-1)).toBe(
      "| `@basis/hooks` | 513 kB | 1 | 9.1 kB | 10 ms (0.25) | anywhere |",
    );
    expect(costLines([{ ...cost, outside: ["node:fs"] }]).at(-1)).toContain("| Node |");
  });

  it("is within its gates; an adapter may need Node, and a store its driver", () => {
    expect(problems({})).toBe("");
    expect(problems({ specifier: "@basis/hooks/node", gzipBytes: 40_000, outside: ["node:fs"] })).toBe("");
    expect(problems({ specifier: "@mobkit/session-postgres", strangers: ["pg"] })).toBe("");
  });

  it.each([
    [{ strangers: ["pg"] }, "brings pg"],
    [{ specifier: "@basis/hooks/ai-sdk", outside: ["ai"] }, "loads ai at once"],
    [{ gzipBytes: 20_000 }, "packs 20000 bytes gzipped"],
    [{ outside: ["node:fs"] }, "needs node:fs"],
    [{ starts: 4 }, "loads in 4.0 starts of a bare Node"],
  ])("is refused for %j", (over, message) => {
    expect(problems(over)).toContain(` ${message}`);
  });

  it("counts what comes along, and names what is no package of the repository", () => {
    const laid = new Map(
      Object.entries({ core: [], session: ["core"], fork: ["core", "session", "left-pad"] }).map(
        ([name, names]) => [
          name,
          {
            name,
            manifest: { dependencies: Object.fromEntries(names.map((one) => [one, "^1"])) },
            installedBytes: 1,
          },
        ],
      ),
    );
    expect(companions(laid, "fork")).toEqual({ names: ["core", "session"], strangers: ["left-pad"] });
    expect(companions(laid, "core")).toEqual({ names: [], strangers: [] });
  });
});
