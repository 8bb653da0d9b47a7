import { LENGTHS } from "../store/bodies.mjs";
import { measureOnDatabase } from "./database.mjs";

const file = "postgres/session-postgres.mjs";
const shown = (length) => length.toLocaleString("en-US");

const own = (operation, label, lengths = LENGTHS.map(({ length }) => length)) =>
  lengths.map((length) => ({
    id: `${operation} ${length}`,
    label: `${label} at ${shown(length)} messages`,
    role: "own",
    file,
    variant: { operation, length },
  }));

const trips = (of, label, length) => ({
  id: `${of} ${length}`,
  label: `${label} at ${shown(length)} messages`,
  role: "own",
  file,
  variant: { operation: "trips", of, length },
});

const langGraph = (operation, label, length) => ({
  group: operation,
  id: `langgraph ${operation} ${length}`,
  label,
  role: "peer",
  peer: "@langchain/langgraph-checkpoint-postgres",
  file: "postgres/langgraph.mjs",
  variant: { operation, length },
});

const limit = {
  id: "bare",
  label: "one row, one prepared insert (limit)",
  role: "limit",
  file: "postgres/bare-insert.mjs",
  variant: { name: "limit", statements: 1 },
};

const two = {
  id: "two",
  label: "two statements in a transaction (limit of an append)",
  role: "limit",
  file: "postgres/bare-insert.mjs",
  variant: { name: "two", statements: 2 },
};

/** One step of a conversation of a length, and a fork of it. */
const besideLangGraph = (length) => ({
  name: `beside LangGraph, at ${shown(length)} messages`,
  together: true,
  cases: [
    limit,
    { ...own("append", "append", [length])[0], group: "append" },
    { ...own("commit", "fork's commit step", [length])[0], group: "fork" },
    langGraph("append", "LangGraph, one message more", length),
    langGraph("fork", "LangGraph, a checkpoint under a new thread", length),
  ],
});

/** The same writes on PostgreSQL, over the loopback, one after the other. */
export const postgres = {
  name: "postgres",
  title: "Durable append and fork on PostgreSQL (fsync, synchronous commit)",
  unit: "µs",
  sampling: { sampleMs: 20, samples: 15, warmMs: 150 },
  control: { cell: "writes", id: "bare" },
  measure: measureOnDatabase,
  cells: [
    {
      name: "writes",
      together: true,
      cases: [
        limit,
        two,
        ...own("append", "append"),
        ...own("commit", "fork's commit step"),
        ...own("fork", "whole forkMember", [10, 100_000]),
      ],
    },
    besideLangGraph(10),
    besideLangGraph(1000),
    {
      name: "round trips",
      unit: "",
      once: true,
      cases: [
        trips("append", "append", 100_000),
        trips("commit", "fork's commit step", 10),
        trips("commit", "fork's commit step", 100_000),
      ],
    },
  ],
};
