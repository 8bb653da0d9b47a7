import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { timeScale, type Stretch } from "../../console/state/time-scale.ts";

const stretches: fc.Arbitrary<readonly Stretch[]> = fc.array(
  fc
    .record({ from: fc.integer({ min: 0, max: 1e9 }), length: fc.integer({ min: 0, max: 1e6 }) })
    .map(({ from, length }) => ({ from, to: from + length })),
  { maxLength: 60 },
);

describe("the scale of the time ruler", () => {
  test("places moments from 0 to 1, the later never before the earlier", () => {
    fc.assert(
      fc.property(stretches, fc.array(fc.integer({ min: 0, max: 2e9 })), (parts, moments) => {
        const scale = timeScale(parts);
        const places = moments.toSorted((a, b) => a - b).map((at) => scale.place(at));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        for (const place of places) {
          expect(place).toBeGreaterThanOrEqual(0);
          expect(place).toBeLessThanOrEqual(1.000001);
        }
        for (const { place } of scale.ticks) expect(place).toBeLessThanOrEqual(1.000001);
        expect(scale.ticks.length).toBeLessThan(80);
      }),
    );
  });

  test("folds the time in which nothing happened, and keeps the rest in proportion", () => {
    const day = 86_400_000;
    const scale = timeScale([
      { from: 0, to: 3000 },
      { from: day, to: day + 1000 },
    ]);
    const [first, second] = [scale.place(3000), 1 - scale.place(day)];
    expect(first / second).toBeCloseTo(3, 5);
    expect(scale.place(day) - scale.place(3000)).toBeCloseTo(0.02, 5);
    expect(scale.ticks.filter(({ sinceMs }) => sinceMs === undefined)).toHaveLength(1);
  });

  test("leaves a short pause as long as it was", () => {
    const scale = timeScale([
      { from: 0, to: 400 },
      { from: 600, to: 1000 },
    ]);
    expect(scale.place(500)).toBeCloseTo(0.5, 5);
  });

  test("of nothing places everything at its beginning", () => {
    expect(timeScale([]).place(5)).toBe(0);
  });
});
