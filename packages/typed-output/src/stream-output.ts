import type { OutputOptions } from "./output-options.ts";
import { assertAsked, type OutputSubject } from "./run-output.ts";
import type { OutputStream, OutputStreamEvent, StreamOptions } from "./stream/stream-event.ts";
import type { TurnRunner } from "./turn-runner.ts";

/** The arguments of a watched run after its runner: what for, the task, and how. */
export type StreamArguments<T> = readonly [
  subject: OutputSubject<T>,
  prompt: string,
  options?: OutputOptions & StreamOptions,
];

/**
 * Runs one typed turn and tells what is known of its answer while it is written. The run begins at once; its
 * events are kept for one reader, snapshots only the newest. A host that hands no pieces to `gate.delta` gives the
 * elements and the result at the end. Nothing but the result was checked by the host's validator. `elements` that leads to no list of
 * the schema ends the run as `failed` (`definition_error`), before any request.
 *
 * @throws TypeError when `runner` is no `TurnRunner`, or the subject no spec or reservation, or `elements`
 *   no JSON pointer.
 */
export function streamOutput<T>(
  runner: TurnRunner,
  ...[subject, prompt, options = {}]: StreamArguments<T>
): OutputStream<T> {
  assertAsked(runner, subject);
  checkPointer((Object(options) as StreamOptions).elements);
  const leave = new AbortController();
  const run = { subject, prompt, options, leave: leave.signal };
  const started = import("./stream/output-stream.ts").then(({ watchRun }) => watchRun(runner, run));
  const result = started.then((watched) => watched.result);
  // Who reads the events alone learns of it there.
  result.catch(() => undefined);
  const iterator: AsyncIterator<OutputStreamEvent<T>, undefined> = {
    async next() {
      const event = await (await started).events.next();
      return event ? { done: false, value: event } : { done: true, value: undefined };
    },
    async return() {
      leave.abort(new Error("nobody reads the stream any more"));
      await result;
      return { done: true, value: undefined };
    },
  };
  return { result, [Symbol.asyncIterator]: () => iterator };
}

function checkPointer(elements: unknown): void {
  if (elements === undefined || elements === "") return;
  if (typeof elements === "string" && /^\/([^~]|~[01])*$/.test(elements)) return;
  throw new TypeError(`elements is a JSON pointer to a list, such as /rows, not ${JSON.stringify(elements)}`);
}
