const cellOf = (name, variant) => ({
  name,
  basis: "cpu",
  cases: [
    {
      id: "bare",
      label: "JSON.parse and ajv (limit)",
      role: "limit",
      file: "typed/parse-and-check.mjs",
      variant,
    },
    { id: "ours", label: "@basis/typed-output", role: "own", file: "typed/typed-output.mjs", variant },
    {
      id: "lowered",
      label: "@basis/typed-output, OpenAI's subset",
      role: "own",
      file: "typed/typed-output.mjs",
      variant: { ...variant, dialect: "openai" },
    },
    {
      id: "instructor",
      label: "instructor",
      role: "peer",
      peer: "@instructor-ai/instructor",
      // Gates compare with it and with the next, so a gate run needs both.
      gated: true,
      file: "typed/instructor.mjs",
      variant,
    },
    {
      id: "ai",
      label: "AI SDK object output",
      role: "peer",
      peer: "ai",
      gated: true,
      file: "typed/ai-sdk.mjs",
      variant,
    },
  ],
});

const withPlainTurn = (cell) => ({
  ...cell,
  cases: [
    ...cell.cases,
    {
      id: "plain",
      label: "the same host, a turn without a type",
      role: "limit",
      file: "typed/plain-turn.mjs",
    },
  ],
});

const own = (id, label, more) => ({ id, label, role: "own", ...more });
const large = (state, label) => own(state, label, { file: "typed/first-verdict.mjs", variant: { state } });
const streamed = (kilobytes) =>
  own(`${kilobytes} KB`, `${kilobytes} KB in pieces of 4 characters`, {
    file: "typed/streamed.mjs",
    variant: { kilobytes },
  });

/** One typed answer of 1 KB, accepted and after one rejection; what large schemas and long answers cost. */
export const typed = {
  name: "typed",
  title: "A typed answer, instant model",
  unit: "µs",
  sampling: { sampleMs: 20, samples: 15, warmMs: 2000 },
  control: { cell: "accepted", id: "bare" },
  cells: [
    withPlainTurn(cellOf("accepted", { rejections: 0 })),
    cellOf("one rejection", { rejections: 1 }),
    {
      name: "schema of 43 KB",
      basis: "cpu",
      cases: [
        large("first", "first verdict of a new schema"),
        large("clone", "an equal schema, defined anew"),
        large("warm", "a further verdict"),
      ],
    },
    { name: "streamed", basis: "cpu", cases: [streamed(50), streamed(100), streamed(200)] },
    {
      name: "kept of 10,000 runs",
      unit: "MB",
      once: true,
      cases: [own("clones", "equal schemas, cloned for each run", { file: "typed/clones.mjs" })],
    },
  ],
};
