import type { JsonValue } from "@basis/core";
import type { AttemptRecord } from "@basis/typed-output";
import type { RunContext } from "../run/run-context.ts";
import { storable } from "../transcript/storable.ts";

interface Judged {
  readonly record: AttemptRecord;
  readonly value: unknown;
}

/** The judged answers of a typed turn that no event has told yet. */
export class AttemptQueue {
  #waiting: Judged[] = [];

  /** The `onAttempt` of a typed run. */
  readonly hear = (record: AttemptRecord, value: unknown): void => void this.#waiting.push({ record, value });

  /** Tells what is waiting, once the rows it speaks of are committed. `last`: there will be no further attempt. */
  tell(
    run: RunContext,
    told: { readonly candidateOf: (record: AttemptRecord) => JsonValue; last: boolean },
  ): void {
    for (const { record, value } of this.#waiting.splice(0)) {
      const { number, toolCallId, verdict, issues, notes, feedback = "" } = record;
      const facts = { attempt: number, ...(toolCallId !== undefined && { tool_call_id: toolCallId }) };
      const candidate = told.candidateOf(record) as never;
      run.emit("output_attempted", { ...facts, candidate });
      if (verdict === "accepted")
        run.emit("output_accepted", {
          ...facts,
          candidate,
          ...otherwise(candidate, value),
          ...(notes.length > 0 && { normalized: true }),
        });
      else run.emit("output_rejected", { ...facts, verdict, ...inPlaces(issues), feedback, last: told.last });
    }
  }
}

/** What the run answers with, where that is not the candidate: unwrapped, lifted, decoded. */
function otherwise(candidate: JsonValue, value: unknown): { readonly value?: never } {
  const told = JSON.parse(JSON.stringify(value ?? null)) as JsonValue;
  const form = (json: JsonValue): string => JSON.stringify(storable(json));
  return form(told) === form(candidate) ? {} : { value: told as never };
}

function inPlaces(issues: AttemptRecord["issues"]) {
  if (issues.length === 0) return {};
  const told = ({ stage, pointer, message, keyword }: AttemptRecord["issues"][number]) => {
    const where = { stage, pointer, message };
    return keyword === undefined ? where : { ...where, keyword };
  };
  return { issues: issues.map(told) };
}
