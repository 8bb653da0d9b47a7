const PI = "@mariozechner/pi-agent-core";

/** So many turns compile what a turn runs; fewer measure the interpreter, and the most code the worst. */
const WARM_TURNS = 6000;
/** Both sides run the same code, so that fewer will do. */
const WARM_HISTORY = 2000;

/** A turn of two model rounds and one tool call. Opening the conversation is left out, for everybody. */
export const turn = {
  name: "turn",
  title: "A two-round turn with one tool call, instant model",
  unit: "µs",
  sampling: { sampleMs: 20, samples: 15, warmMs: 1500 },
  control: { cell: "in memory", id: "raw" },
  cells: [
    {
      name: "in memory",
      basis: "cpu",
      cases: [
        { id: "raw", label: "raw provider loop (limit)", role: "limit", file: "turn/raw-loop.mjs" },
        {
          id: "ours",
          warmCount: WARM_TURNS,
          label: "@basis/runtime: hook, ajv, approval, intent",
          role: "own",
          file: "turn/runtime.mjs",
          variant: { state: "memory" },
        },
        {
          id: "traced",
          warmCount: WARM_TURNS,
          label: "the same, its spans recorded",
          role: "own",
          file: "turn/runtime.mjs",
          variant: { state: "memory", traced: true },
        },
        {
          id: "pi",
          warmCount: WARM_TURNS,
          label: "pi-agent-core: hook, validation",
          role: "peer",
          peer: PI,
          // A gate compares with it, so a gate run needs it; so with the next.
          gated: true,
          file: "turn/pi-agent-core.mjs",
        },
        {
          id: "ai",
          warmCount: WARM_TURNS,
          label: "AI SDK ToolLoopAgent: validation",
          role: "peer",
          peer: "ai",
          gated: true,
          file: "turn/ai-sdk.mjs",
        },
      ],
    },
    {
      name: "on SQLite (no peer is durable)",
      together: true,
      cases: [
        {
          id: "bare",
          label: "one row, bare SQLite (limit)",
          role: "limit",
          file: "store/bare-commit.mjs",
          variant: { name: "turn", statements: 1 },
        },
        {
          id: "ours",
          label: "@basis/runtime, durable",
          role: "own",
          file: "turn/runtime.mjs",
          variant: { state: "sqlite" },
        },
      ],
    },
    {
      name: "by history",
      basis: "cpu",
      cases: [
        {
          id: "short",
          warmCount: WARM_HISTORY,
          label: "10 messages before it (limit)",
          role: "limit",
          file: "turn/history.mjs",
          variant: { messages: 10 },
        },
        {
          id: "long",
          warmCount: WARM_HISTORY,
          label: "10,000 messages before it",
          role: "own",
          file: "turn/history.mjs",
          variant: { messages: 10_000 },
        },
      ],
    },
    {
      name: "100 children",
      basis: "cpu",
      cases: [
        {
          id: "bare",
          label: "200 turns in a loop (limit)",
          role: "limit",
          file: "turn/children.mjs",
          variant: { bare: true },
        },
        {
          id: "delegated",
          label: "100 parents delegate at once",
          role: "own",
          file: "turn/children.mjs",
          variant: { bare: false },
        },
      ],
    },
    {
      name: "bytes allocated a turn",
      unit: "B",
      cases: [
        {
          id: "ours",
          label: "@basis/runtime, in memory",
          role: "own",
          file: "turn/allocated.mjs",
          variant: { file: "./runtime.mjs", variant: { state: "memory" } },
        },
        {
          id: "pi",
          label: "pi-agent-core",
          role: "peer",
          peer: PI,
          gated: true,
          file: "turn/allocated.mjs",
          variant: { file: "./pi-agent-core.mjs" },
        },
        {
          id: "ai",
          label: "AI SDK ToolLoopAgent",
          role: "peer",
          peer: "ai",
          gated: true,
          file: "turn/allocated.mjs",
          variant: { file: "./ai-sdk.mjs" },
        },
      ],
    },
    {
      name: "bytes left a turn",
      unit: "B",
      cases: [{ id: "soak", label: "5,000 turns on SQLite", role: "own", file: "turn/soak.mjs" }],
    },
  ],
};
