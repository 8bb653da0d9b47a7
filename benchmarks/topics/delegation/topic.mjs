const decided = (tools) => ({
  name: `decided, ${tools} tools`,
  basis: "cpu",
  cases: [
    {
      id: "hand",
      label: "by hand (limit)",
      role: "limit",
      file: "delegation/by-hand.mjs",
      variant: { tools },
    },
    {
      id: "ours",
      label: "@basis/child-policy",
      role: "own",
      file: "delegation/decided.mjs",
      variant: { tools },
    },
  ],
});

const atOnce = { file: "delegation/at-once.mjs", role: "own" };

/** A child decided, and many children at once. */
export const delegation = {
  name: "delegation",
  title: "A delegation: policy, plan and preview; and a thousand at once",
  unit: "µs",
  sampling: { sampleMs: 20, samples: 15, warmMs: 300 },
  control: { cell: "decided, 50 tools", id: "hand" },
  cells: [
    decided(50),
    {
      name: "a thousand",
      basis: "cpu",
      cases: [
        {
          ...atOnce,
          id: "few",
          label: "10 at once (limit)",
          role: "limit",
          variant: { atOnce: 10, running: 10 },
        },
        { ...atOnce, id: "many", label: "1,000 at once", variant: { atOnce: 1000, running: 1000 } },
        { ...atOnce, id: "waiting", label: "1,000, of which 8 run", variant: { atOnce: 1000, running: 8 } },
      ],
    },
    {
      name: "bytes left a delegation",
      unit: "B",
      cases: [
        {
          ...atOnce,
          id: "growth",
          label: "1,000 at once",
          variant: { atOnce: 1000, running: 1000, growth: true },
        },
      ],
    },
  ],
};
