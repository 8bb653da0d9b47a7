import { findSession } from "../store/find-session.ts";
import { defineCommand, type Command } from "./command.ts";
import { exitCode } from "./exit-code.ts";
import { withState } from "./open-host.ts";
import { count, type Option } from "./option.ts";
import { answer } from "./output-format.ts";

const after: Option<number> = count(0, "only events with a greater number, to go on after the last one seen");

/** `basis events`. */
export const eventsCommand: Command = defineCommand({
  name: "events",
  about: "Print a session's event log, one JSON event a line.",
  more: [
    "Every event has a number that counts from 1 without a gap in its session. Text deltas are sent live only and are not in the log. The schema is exported as eventSchema by @basis/runtime.",
  ],
  word: { name: "SESSION", about: "a session's id or its member's name", required: true },
  options: { after },
  examples: [
    ["basis events main-1c2d3e4f", "the whole log"],
    ["basis events main-1c2d3e4f --after 40", "what came after number 40"],
  ],
  run: ({ word, options }, context) =>
    withState(context, async (state) => {
      const { id } = await findSession(state.store, word!);
      for (const event of state.events.read(id, { after: options.after ?? 0 })) {
        if (context.interrupt.asked) return exitCode.interrupted;
        answer(JSON.stringify(event));
      }
      return exitCode.ok;
    }),
});
