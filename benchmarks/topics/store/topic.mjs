import { LENGTHS } from "./bodies.mjs";
import { makeFixture } from "./fixture.mjs";
import { makeSessionFiles } from "./session-files.mjs";

const shown = (length) => length.toLocaleString("en-US");
const file = "store/session-sqlite.mjs";
/** The store's code is long: it takes so many runs until all of it is compiled. A bare statement needs a few. */
const WARM_COUNT = 1500;
const everyLength = LENGTHS.map(({ length }) => length);

const own = (operation, label, lengths = everyLength) =>
  lengths.map((length) => ({
    id: `${operation} ${length}`,
    label: `${label} at ${shown(length)} messages`,
    role: "own",
    file,
    variant: { operation, length },
    warmCount: WARM_COUNT,
  }));

const weighed = (id, label, variant) => ({ id, label, role: "own", file: "store/weigh.mjs", variant });

const limit = (id, label, statements) => ({
  id,
  label,
  role: "limit",
  file: "store/bare-commit.mjs",
  variant: { name: id, statements },
});

const crowd = (id, label, together) => ({
  id,
  label,
  role: "own",
  file,
  variant: { operation: "crowd", together },
});

const pi = (operation, label, { length, once }) => ({
  id: `pi ${operation} ${length}`,
  label: `pi, ${label}`,
  role: "peer",
  peer: "@mariozechner/pi-coding-agent",
  file: "store/session-files.mjs",
  variant: { operation, length, once },
});

const copied = (length) => ({
  id: `copy ${length}`,
  label: "fs.copyFile of a transcript's file (not synced)",
  role: "peer",
  file: "store/session-files.mjs",
  variant: { operation: "copy", length },
});

const langGraph = (operation, label, length) => ({
  id: `langgraph ${operation} ${length}`,
  label: `LangGraph, ${label} (not synced)`,
  role: "peer",
  peer: "@langchain/langgraph-checkpoint-sqlite",
  file: "store/langgraph.mjs",
  variant: { operation, length },
});

const bare = limit("bare", "one row, bare SQLite (limit)", 1);

const grouped = (group, cases) => cases.map((one) => ({ ...one, group }));

/** One message more, and a fork, of a conversation of a length. LangGraph's step at 100,000 takes seconds. */
const besidePeers = (length) => ({
  name: `beside peers, at ${shown(length)} messages`,
  together: true,
  cases: [
    bare,
    ...grouped("append", [
      ...own("append", "append", [length]),
      ...(length > 1000 ? [] : [langGraph("append", "one message more", length)]),
      pi("append", "one line more (not synced)", { length }),
    ]),
    ...grouped("fork", [
      ...own("fork", "whole forkMember", [length]),
      ...(length > 1000 ? [] : [langGraph("fork", "a checkpoint under a new thread", length)]),
      pi("fork", "forkFrom (not synced)", { length, once: length > 1000 }),
      copied(length),
    ]),
  ],
});

/** The writes where a sync takes a known time: what surrounds it shows at 0, how it weighs on a usual disk at 500 µs. */
const withSync = (name, syncUs) => ({
  name,
  together: true,
  basis: "cpu",
  cases: [
    limit("bare", "one row, bare SQLite (limit)", 1),
    limit("two", "two statements, bare SQLite (limit of an append)", 2),
    ...own("append", "append", [1000]),
    ...own("commit", "fork's commit step", [1000]),
    ...own("fork", "whole forkMember", [1000]),
  ].map((one) => ({ ...one, variant: { ...one.variant, syncUs } })),
});

/** Writes that are durable when they are acknowledged. */
export const store = {
  name: "store",
  title: "Durable append and fork on SQLite (WAL, FULL)",
  unit: "µs",
  sampling: { sampleMs: 20, samples: 15, warmMs: 150 },
  control: { cell: "writes", id: "bare" },
  prepare: async (work) => {
    makeSessionFiles(work);
    await makeFixture(work);
  },
  cells: [
    {
      name: "writes",
      together: true,
      cases: [
        bare,
        limit("two", "two statements, bare SQLite (limit of an append)", 2),
        ...own("append", "append"),
        ...own("commit", "fork's commit step"),
        ...own("fork", "whole forkMember"),
      ],
    },
    withSync("writes, syncs of 500 µs", 500),
    withSync("writes, syncs left out", 0),
    {
      name: "64 appenders",
      together: true,
      cases: [
        crowd("one by one", "64 messages, one by one", false),
        crowd("together", "64 messages at once", true),
      ],
    },
    {
      name: "next turn's context",
      together: true,
      cases: [
        {
          id: "bare",
          label: "the last 50 rows of a plain table of 100,000 (limit)",
          role: "limit",
          file: "store/bare-tail.mjs",
          variant: { length: 100_000 },
        },
        ...own("tail", "head and the last 50 messages"),
        pi("open", "a session of 100,000 opened", { length: 100_000, once: true }),
      ],
    },
    ...everyLength.map(besidePeers),
    {
      name: "sizes",
      unit: "",
      once: true,
      cases: [
        weighed("commits", "commits of 64 messages at once", { of: "commits" }),
        weighed("commit", "bytes a committed fork of 1,000 messages adds", { of: "commit", length: 1000 }),
        weighed("whole", "bytes a seated fork of 100,000 messages adds", { of: "whole", length: 100_000 }),
        weighed("messages", "file / JSON, 1,000 messages of 800 bytes", { of: "messages" }),
        weighed("mixed", "file / JSON, 10,000 messages of 60 to 12,000 bytes", { of: "mixed" }),
        weighed("row", "bytes a message of 200 bytes adds beside its JSON", { of: "row" }),
      ],
    },
  ],
};
