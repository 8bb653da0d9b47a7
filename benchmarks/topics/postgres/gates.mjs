const onPostgres = (gate) => ({ topic: "postgres", kind: "ratio", source: "perf", ...gate });

const appends = [10, 1000, 100_000].map((length) =>
  onPostgres({
    says: `append at ${length.toLocaleString("en-US")} / two bare statements`,
    of: `writes/append ${length}`,
    to: "writes/two",
    gate: 1.5,
    source: "issue",
  }),
);

/** What durable sessions and forks may cost on PostgreSQL. */
export const postgresGates = [
  ...appends,
  onPostgres({
    says: "append at 100,000 / one insert",
    of: "writes/append 100000",
    to: "writes/bare",
    aim: 1.5,
  }),
  onPostgres({
    says: "append: growth from 1,000 to 100,000",
    kind: "slope",
    of: "writes/append 100000",
    to: "writes/append 1000",
    lengths: [100_000, 1000],
    gate: 0.05,
  }),
  onPostgres({
    says: "fork's commit step at 100,000 / at 10",
    of: "writes/commit 100000",
    to: "writes/commit 10",
    gate: 3,
  }),
  onPostgres({
    says: "append",
    kind: "value",
    of: "round trips/append 100000",
    gate: 1,
    unit: "round trips",
  }),
  onPostgres({
    says: "fork's commit step",
    kind: "value",
    of: "round trips/commit 100000",
    gate: 3,
    source: "D22",
    unit: "round trips",
  }),
];
