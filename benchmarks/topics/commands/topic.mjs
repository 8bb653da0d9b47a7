/** A command judged by rules: reading its text, and finding among many rules those that decide. */
export const commands = {
  name: "commands",
  title: "A command judged by rules",
  unit: "µs",
  sampling: { sampleMs: 10, samples: 15, warmMs: 300 },
  control: { cell: "new text", id: "parse" },
  cells: [
    {
      name: "new text",
      basis: "cpu",
      cases: [
        {
          id: "parse",
          label: "bare parse (limit)",
          role: "limit",
          file: "commands/bare-parse.mjs",
          variant: {},
        },
        {
          id: "ours",
          label: "@basis/approval/commands",
          role: "own",
          file: "commands/rules.mjs",
          variant: { rules: 1, text: "new" },
        },
      ],
    },
    {
      name: "1,000 rules",
      basis: "cpu",
      cases: [
        {
          id: "few",
          label: "among 10 rules (limit)",
          role: "limit",
          file: "commands/rules.mjs",
          variant: { rules: 10, text: "known" },
        },
        {
          id: "ours",
          label: "@basis/approval/commands",
          role: "own",
          file: "commands/rules.mjs",
          variant: { rules: 1000, text: "known" },
        },
        {
          id: "exact",
          label: "@basis/approval, exact calls",
          role: "own",
          file: "commands/rules.mjs",
          variant: { rules: 1000, kind: "exact", text: "known" },
        },
      ],
    },
    {
      name: "1,000 rules by fields",
      basis: "cpu",
      cases: [
        {
          id: "few",
          label: "among 10 rules (limit)",
          role: "limit",
          file: "commands/rules.mjs",
          variant: { rules: 10, kind: "fields", text: "new" },
        },
        {
          id: "ours",
          label: "@basis/approval, folders and endings",
          role: "own",
          file: "commands/rules.mjs",
          variant: { rules: 1000, kind: "fields", text: "new" },
        },
        {
          id: "pieces",
          label: "@basis/approval, folders and pieces of names",
          role: "own",
          file: "commands/rules.mjs",
          variant: { rules: 1000, kind: "fields", pieces: true, text: "new" },
        },
      ],
    },
    {
      name: "1,000 rules that all match",
      basis: "cpu",
      cases: [
        {
          id: "few",
          label: "by fields, 10 rules (limit)",
          role: "limit",
          file: "commands/rules.mjs",
          variant: { rules: 10, kind: "fields", text: "known", matching: true },
        },
        {
          id: "ours",
          label: "@basis/approval, by fields",
          role: "own",
          file: "commands/rules.mjs",
          variant: { rules: 1000, kind: "fields", text: "known", matching: true },
        },
        {
          id: "words",
          label: "@basis/approval/commands, by words",
          role: "own",
          file: "commands/rules.mjs",
          variant: { rules: 1000, text: "known", matching: true },
        },
      ],
    },
  ],
};
