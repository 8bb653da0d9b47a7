import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { comparePins } from "../../src/trust/compare-pins.ts";
import type { EntryPin } from "../../src/trust/trust-record.ts";

/** Few names and contents, so that sets often share them. */
const pin: fc.Arbitrary<EntryPin> = fc
  .record({ name: fc.constantFrom("a", "b", "c"), variant: fc.integer({ min: 0, max: 2 }) })
  .map(({ name, variant }) => ({
    name,
    digest: `${name}:${variant}`,
    settings: { name, timeout_ms: variant },
    program: "host",
    files: [],
    unpinned: [],
  }));
const pins = fc.array(pin, { maxLength: 5 });

const digestsOf = (set: readonly EntryPin[]): string => set.map(({ digest }) => digest).join();

// S3
describe("comparePins", () => {
  it("calls a set trusted exactly when it is the trusted one, in order", () => {
    fc.assert(
      fc.property(pins, pins, (trusted, current) => {
        const { state, entries } = comparePins(trusted, current);
        expect(state).toBe(digestsOf(trusted) === digestsOf(current) ? "trusted" : "modified");
        expect(entries.slice(0, current.length).map(({ name }) => name)).toEqual(
          current.map(({ name }) => name),
        );
        for (const entry of entries) expect(entry.why === undefined).toBe(entry.state === "trusted");
      }),
    );
  });

  it("names each trusted entry once: as it is now, or as gone", () => {
    fc.assert(
      fc.property(pins, pins, (trusted, current) => {
        const { entries } = comparePins(trusted, current);
        const added = entries.filter(({ state }) => state === "untrusted").length;
        expect(entries.length - added).toBe(trusted.length);
      }),
    );
  });

  it("without a record trusts only the empty set", () => {
    fc.assert(
      fc.property(pins, (current) => {
        const expected = current.length === 0 ? "trusted" : "untrusted";
        expect(comparePins(undefined, current).state).toBe(expected);
      }),
    );
  });

  it("calls an entry modified whose code can no longer be pinned", () => {
    fc.assert(
      fc.property(pin, (trusted) => {
        const loose = { ...trusted, unpinned: ["it chooses its code"] };
        expect(comparePins([trusted], [loose]).entries[0]).toMatchObject({
          state: "modified",
          why: "it chooses its code",
        });
        expect(comparePins([loose], [loose]).state).toBe("trusted");
      }),
    );
  });
});
