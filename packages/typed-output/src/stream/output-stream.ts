import { joinSignals } from "@basis/core";
import { isSignal } from "../check-options.ts";
import type { OutputOptions } from "../output-options.ts";
import type { OutputAttempt } from "../output-result.ts";
import type { OutputSubject } from "../run-output.ts";
import type { TurnRunner } from "../turn-runner.ts";
import { runTyped } from "../typed-run.ts";
import { EventQueue } from "./event-queue.ts";
import { ReplyWatch } from "./reply-watch.ts";
import type { StreamOptions } from "./stream-event.ts";

/** What is asked for, and how it is watched. */
export interface StreamedRun<T> {
  readonly subject: OutputSubject<T>;
  readonly prompt: string;
  readonly options: OutputOptions & StreamOptions;
  /** Aborts when nobody reads any more. */
  readonly leave: AbortSignal;
}

/** A run on its way, and its events. */
export interface WatchedRun<T> {
  readonly result: Promise<OutputAttempt<T>>;
  readonly events: EventQueue<T>;
}

/** Begins a run whose replies are watched; the queue's last event is the result. */
export function watchRun<T>(
  runner: TurnRunner,
  { subject, prompt, options, leave }: StreamedRun<T>,
): WatchedRun<T> {
  const { elements, stopDoomed, ...rest } = Object(options) as typeof options;
  const events = new EventQueue<T>();
  const stream: StreamOptions = {
    ...(elements !== undefined && { elements }),
    ...(stopDoomed !== undefined && { stopDoomed }),
  };
  const isJoinable = rest.signal === undefined || isSignal(rest.signal);
  const { signal, release } = joinSignals(leave, isJoinable ? rest.signal : undefined);
  const running = runTyped(runner, subject, {
    prompt,
    // What is no signal, or no options at all, the run refuses by its name.
    options: Object(options) === options ? { ...rest, ...(isJoinable && { signal }) } : options,
    watch: (parts) => new ReplyWatch({ ...parts, stream, emit: (event) => events.push(event) }),
  });
  const result = running.then((attempt) => {
    release();
    events.push({ type: "result", attempt });
    events.close();
    return attempt;
  });
  return { result, events };
}
