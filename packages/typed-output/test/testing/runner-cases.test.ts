import { expect, it } from "vitest";
import { runnerCases, scriptedRunner } from "../../src/testing/index.ts";

// cases 34, 35, 46, 57, 73, 78: what every binding must pass
it.each(runnerCases().map((scenario) => [scenario.name, scenario] as const))("%s", async (_, scenario) => {
  await expect(
    scenario.play(({ rounds, tools }) => scriptedRunner(rounds, { tools })),
  ).resolves.toBeUndefined();
});

it("a scenario fails on a runner that does something else", async () => {
  const [first] = runnerCases();
  await expect(first!.play(() => scriptedRunner([{ text: "no" }]))).rejects.toThrow(/calls a tool/);
});
