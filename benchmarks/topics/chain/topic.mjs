const cellOf = (name, variant, more = []) => ({
  name,
  basis: "cpu",
  cases: [
    { id: "loop", label: "awaited loop (limit)", role: "limit", file: "chain/awaited-loop.mjs", variant },
    { id: "ours", label: "@basis/hooks", role: "own", file: "chain/hooks.mjs", variant },
    ...more,
    {
      id: "hookable",
      label: "hookable",
      role: "peer",
      peer: "hookable",
      file: "chain/hookable.mjs",
      variant,
    },
  ],
});

const withTrail = (variant) => ({
  id: "trail",
  label: "@basis/hooks, every record read",
  role: "own",
  file: "chain/hooks.mjs",
  variant: { ...variant, trail: "read" },
});

/** A tool of the AI SDK as it is called by the framework. */
const toolCase = (id, label, more) => ({ id, label, file: "chain/guarded-tool.mjs", ...more });

/** A tool of another framework as it is called by that. */
const frameworkCell = (name, framework) => ({
  name: `${name} tool, 5 sync`,
  basis: "cpu",
  cases: [
    {
      id: "bare",
      label: "the tool as it is (limit)",
      role: "limit",
      file: "chain/framework-tools.mjs",
      variant: { framework, bare: true, guards: 0 },
    },
    {
      id: "ours",
      label: `@basis/hooks/${framework}`,
      role: "own",
      file: "chain/framework-tools.mjs",
      variant: { framework, guards: 5 },
    },
  ],
});

/** A call through guards that allow it. */
export const chain = {
  name: "chain",
  title: "One tool call through a chain of guards",
  unit: "µs",
  sampling: { sampleMs: 10, samples: 15, warmMs: 200 },
  control: { cell: "5 sync", id: "loop" },
  cells: [
    cellOf("empty", { guards: 0 }),
    cellOf("1 sync", { guards: 1 }),
    cellOf("5 sync", { guards: 5 }, [withTrail({ guards: 5 })]),
    cellOf("20 sync", { guards: 20 }),
    cellOf("5 async", { guards: 5, kind: "async" }),
    cellOf("20 async", { guards: 20, kind: "async" }),
    cellOf("5 sync, 2 kB input", { guards: 5, input: "large" }),
    {
      name: "AI SDK tool, 5 sync",
      basis: "cpu",
      cases: [
        toolCase("bare", "the tool as it is (limit)", { role: "limit", variant: { bare: true } }),
        toolCase("ours", "@basis/hooks/ai-sdk", { role: "own", variant: { guards: 5 } }),
      ],
    },
    frameworkCell("OpenAI Agents", "openai-agents"),
    frameworkCell("LangChain", "langchain"),
    frameworkCell("Anthropic", "anthropic"),
    frameworkCell("MCP client's", "mcp"),
  ],
};
