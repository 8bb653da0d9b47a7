import { runDemo } from "../demo/run-demo.ts";
import { command, type Command } from "./command.ts";
import { onInterrupt } from "./interrupt.ts";

/** `basis demo`. */
export const demoCommand: Command = command({
  meta: {
    name: "basis demo",
    description:
      "Run a scripted model over a copy of this folder: real tools, hooks, policy, checks, store and forks.",
  },
  args: { json: { type: "boolean", description: "The event log on standard output, one event a line" } },
  run: async ({ args }) => {
    const interrupt = onInterrupt();
    try {
      return await runDemo({ directory: process.cwd(), json: args.json ?? false, signal: interrupt.signal });
    } finally {
      interrupt.release();
    }
  },
});
