import { findSession } from "../store/find-session.ts";
import { parseCount } from "./duration.ts";
import { command, type Command } from "./command.ts";
import { openHostState } from "./open-host.ts";

/** `basis events`. */
export const eventsCommand: Command = command({
  meta: { name: "basis events", description: "Print a session's event log, one JSON event a line." },
  args: {
    session: { type: "positional", description: "Id or member name" },
    after: { type: "string", valueHint: "N", description: "Only events with a greater number" },
  },
  run: async ({ args }) => {
    const after = args["after"] === undefined ? 0 : parseCount(args["after"], "--after", 0);
    const state = await openHostState(
      { env: process.env, signal: new AbortController().signal },
      process.cwd(),
    );
    try {
      const { id } = await findSession(state.store, String(args["session"]));
      for (const event of state.events.read(id, { after }))
        process.stdout.write(`${JSON.stringify(event)}\n`);
    } finally {
      await state.close();
    }
  },
});
