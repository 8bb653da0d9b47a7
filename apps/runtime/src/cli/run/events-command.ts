import { once } from "node:events";
import { isSessionError } from "@mobkit/session";
import { lastSeq } from "../../events/event-log.ts";
import { lastRun } from "../../runs/find-run.ts";
import { isHeld, RunWatch, type RunPlace } from "../../runs/run-watch.ts";
import { findSession } from "../../store/find-session.ts";
import { SessionChanges } from "../../store/changes.ts";
import type { HostState } from "../../store/open-state.ts";
import { defineCommand, type Arguments, type Command, type CommandContext } from "../arguments/command.ts";
import { exitCode, UsageError, type ExitCode } from "../terminal/exit-code.ts";
import { withState } from "../open-host.ts";
import { count, flag } from "../arguments/option.ts";
import { complain } from "../terminal/output-format.ts";
import { tellLost } from "./wait-command.ts";

const options = {
  after: count(0, "only events with a greater number, to go on after the last one seen"),
  follow: flag("go on with what is written from now on, by whichever process, until Ctrl-C (130)"),
  "until-finished": flag(
    "with --follow: end (0) once no run is under way; a run whose process is gone ends it (1)",
  ),
};

type Given = Arguments<typeof options>["options"];

/** `basis events`. */
export const eventsCommand: Command = defineCommand({
  name: "events",
  about: "Print a session's event log, one JSON event a line.",
  more: [
    "Every event has a number that counts from 1 without a gap in its session. Text deltas are sent live only and are not in the log. The schema is exported as eventSchema by @basis/runtime.",
    "--follow misses and repeats nothing: what was cut off goes on with --after and the last number seen.",
  ],
  word: { name: "SESSION", about: "a session's id or its member's name", required: true },
  options,
  examples: [
    ["basis events main-1c2d3e4f", "the whole log"],
    ["basis events main-1c2d3e4f --after 40 --follow", "what came after number 40, and what comes"],
    ["basis events main-1c2d3e4f --follow --until-finished", "to the end of the run under way"],
  ],
  run({ word, options: given }, context) {
    if (given["until-finished"] && !given.follow)
      throw new UsageError(["--until-finished goes with --follow"]);
    return withState(context, async (state) => {
      const { id } = await findSession(state.store, word!);
      const log = new LogPrinter(state, id, given.after ?? 0);
      if (given.follow) return follow(log, { state, session: id, given, context });
      await log.print(context.interrupt);
      return context.interrupt.asked ? exitCode.interrupted : exitCode.ok;
    });
  },
});

/** Prints a log from behind a number on, no faster than its reader takes it. */
class LogPrinter {
  readonly #events: HostState["events"];
  readonly #session: string;
  #after: number;

  constructor({ events }: HostState, session: string, after: number) {
    this.#events = events;
    this.#session = session;
    this.#after = after;
  }

  /** Prints what there is and was not printed yet. */
  async print({ asked, signal }: CommandContext["interrupt"]): Promise<void> {
    if (asked) return;
    for await (const event of this.#events.read(this.#session, { after: this.#after })) {
      signal.throwIfAborted();
      this.#after = event.seq ?? this.#after;
      if (!process.stdout.write(`${JSON.stringify(event)}\n`))
        await once(process.stdout, "drain", { signal });
    }
  }

  /** Refuses to follow from behind the log's end: what is written next would be passed over in silence. */
  async refuseBeyondEnd(): Promise<void> {
    const last = await lastSeq(this.#events, this.#session);
    if (this.#after > last)
      throw new UsageError([
        `--after ${this.#after}: the log ends at ${last}; follow it with --after ${last}`,
      ]);
  }
}

interface Following {
  readonly state: HostState;
  readonly session: string;
  readonly given: Given;
  readonly context: CommandContext;
}

const LOOK_EVERY_MS = 150;

async function follow(log: LogPrinter, { state, session, given, context }: Following): Promise<ExitCode> {
  const { signal } = context.interrupt;
  await log.refuseBeyondEnd();
  const end = new EndOfRuns(state, session);
  const changes = new SessionChanges(state.changes, session, LOOK_EVERY_MS);
  try {
    for (;;) {
      const standing = given["until-finished"] ? await end.look() : "under way";
      await log.print(context.interrupt);
      if (standing === "over") return exitCode.ok;
      if (standing !== "under way") return tellLost(standing.place, standing);
      await changes.next(signal);
    }
  } catch (error) {
    if (!isSessionError(error, "unknown_session")) throw error;
    complain("the session was deleted");
    return exitCode.failed;
  } finally {
    changes.end();
  }
}

/** Tells whether anything runs in a session. */
class EndOfRuns {
  readonly #state: HostState;
  readonly #session: string;
  #watch: { readonly run: string; readonly standing: RunWatch } | undefined;

  constructor(state: HostState, session: string) {
    this.#state = state;
    this.#session = session;
  }

  async look(): Promise<"under way" | "over" | { readonly place: RunPlace; readonly owner: string | null }> {
    const { runTurn, lease } = await this.#state.store.head(this.#session);
    const run = runTurn ?? (await lastRun(this.#state.events, this.#session));
    if (isHeld(lease)) return "under way";
    if (run === undefined) return "over";
    const place = { session: this.#session, run };
    if (this.#watch?.run !== run) this.#watch = { run, standing: new RunWatch(this.#state, place) };
    const standing = await this.#watch.standing.look();
    if (standing.kind === "lost") return { place, owner: standing.owner };
    return standing.kind === "finished" ? "over" : "under way";
  }
}
