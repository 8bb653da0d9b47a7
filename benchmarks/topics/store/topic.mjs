import { LENGTHS } from "./bodies.mjs";
import { makeFixture } from "./fixture.mjs";

const shown = (length) => length.toLocaleString("en-US");

const own = (operation, label) =>
  LENGTHS.map(({ length }) => ({
    id: `${operation} ${length}`,
    label: `${label} at ${shown(length)} messages`,
    role: "own",
    file: "store/session-sqlite.mjs",
    variant: { operation, length },
  }));

const bytes = (id, label, whole) => ({
  id,
  label,
  role: "own",
  file: "store/session-sqlite.mjs",
  variant: { operation: "bytes", length: 1000, whole },
});

/** Writes that are durable when they are acknowledged. */
export const store = {
  name: "store",
  title: "Durable append and fork on SQLite (WAL, FULL)",
  unit: "µs",
  sampling: { sampleMs: 20, samples: 15, warmMs: 150 },
  control: { cell: "writes", id: "bare" },
  prepare: makeFixture,
  cells: [
    {
      name: "writes",
      together: true,
      cases: [
        {
          id: "bare",
          label: "one row, bare SQLite (limit)",
          role: "limit",
          file: "store/bare-commit.mjs",
          variant: { name: "limit" },
        },
        ...own("append", "append"),
        ...own("commit", "fork's commit step"),
        ...own("fork", "whole forkMember"),
      ],
    },
    {
      name: "bytes a fork",
      unit: "B",
      once: true,
      cases: [
        bytes("commit", "file growth, fork committed", false),
        bytes("whole", "file growth, fork seated", true),
      ],
    },
  ],
};
