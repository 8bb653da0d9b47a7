import type { JsonValue } from "@basis/core";
import type { AttemptRecord } from "@basis/typed-output";
import type { RunContext } from "./run-context.ts";

/** The judged answers of a typed turn that no event has told yet. */
export class AttemptQueue {
  #waiting: AttemptRecord[] = [];

  /** The `onAttempt` of a typed run. */
  readonly hear = (record: AttemptRecord): void => void this.#waiting.push(record);

  /** Tells what is waiting, once the rows it speaks of are committed. `last`: there will be no further attempt. */
  tell(
    run: RunContext,
    told: { readonly candidateOf: (record: AttemptRecord) => JsonValue; last: boolean },
  ): void {
    for (const record of this.#waiting.splice(0)) {
      const { number, toolCallId, verdict, feedback = "" } = record;
      const facts = { attempt: number, ...(toolCallId !== undefined && { tool_call_id: toolCallId }) };
      const candidate = told.candidateOf(record) as never;
      run.emit("output_attempted", { ...facts, candidate });
      if (verdict === "accepted") run.emit("output_accepted", { ...facts, candidate });
      else run.emit("output_rejected", { ...facts, verdict, feedback, last: told.last });
    }
  }
}
