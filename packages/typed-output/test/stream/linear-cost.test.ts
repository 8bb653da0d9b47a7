import { describe, expect, it } from "vitest";
import { report, watch } from "../support/watching.ts";

// case 86
describe("a long answer in small pieces", () => {
  const rows = (count: number): string =>
    JSON.stringify({ title: "x", rows: Array.from({ length: count }, (_, n) => ({ n })) });
  const cpuMs = async (terminal: string): Promise<number> => {
    const before = process.cpuUsage();
    await watch(report, [{ terminal }], { elements: "/rows" });
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };

  it("costs in proportion to its length", async () => {
    await cpuMs(rows(2_000));
    const half = Math.min(await cpuMs(rows(4_000)), await cpuMs(rows(4_000)));
    const whole = Math.min(await cpuMs(rows(8_000)), await cpuMs(rows(8_000)));
    expect(whole / half).toBeLessThan(4);
    expect(whole).toBeLessThan(2_500);
  });
});
