import type { BasisEvent } from "../../src/events/event-schema.ts";
import type { EventStore } from "./event-store.ts";
import type { EventOf } from "./fold-context.ts";
import type { CallNode } from "./model.ts";

/** Everything that the log tells of one call, read from its events. */
export interface CallDetail {
  /** As its model asked; undefined when that was not read or is not held any more. */
  readonly asked: EventOf<"tool_queued"> | undefined;
  /** What guards decided, in the order in which they were asked. */
  readonly decided: readonly EventOf<"hook_decided">[];
  readonly requested: readonly EventOf<"permission_requested">[];
  readonly resolved: readonly EventOf<"permission_resolved">[];
  readonly executed: EventOf<"tool_started"> | undefined;
  readonly completed: EventOf<"tool_completed"> | undefined;
  readonly previewed: EventOf<"child_previewed"> | undefined;
  readonly started: EventOf<"child_started"> | undefined;
  readonly finished: EventOf<"child_finished"> | undefined;
  readonly events: readonly BasisEvent[];
  /** How many of its events had to make room. */
  readonly dropped: number;
}

/** Reads a call's events. */
export function callDetail(store: EventStore, call: CallNode): CallDetail {
  const session = call.round.run.session.id;
  const events = call.events.flatMap((seq) => store.event(session, seq) ?? []);
  const all = <T extends BasisEvent["type"]>(type: T): readonly EventOf<T>[] =>
    events.filter((event): event is EventOf<T> => event.type === type);
  return {
    asked: all("tool_queued")[0],
    decided: all("hook_decided"),
    requested: all("permission_requested"),
    resolved: all("permission_resolved"),
    executed: all("tool_started").at(-1),
    completed: all("tool_completed").at(-1),
    previewed: all("child_previewed").at(-1),
    started: all("child_started").at(-1),
    finished: all("child_finished").at(-1),
    events,
    dropped: call.events.length - events.length,
  };
}

/** A form of a call's input on its way from the model to the tool. */
export interface InputStep {
  readonly title: string;
  readonly input: unknown;
  readonly digest: string | undefined;
}

/**
 * The forms of the input, each with who made it. A host that tells no input after each hook leaves the steps between the
 * first and the last out.
 */
export function inputSteps({ asked, decided, resolved, executed }: CallDetail): readonly InputStep[] {
  const steps: InputStep[] = [];
  if (asked !== undefined)
    steps.push({ title: "asked by the model", input: asked.data.input, digest: undefined });
  const changed = decided.flatMap(({ data }) =>
    data.event === "pre_tool_use" ? data.participants.filter(({ decision }) => decision === "modify") : [],
  );
  if (executed === undefined) return steps;
  const edited = resolved.findLast(({ data }) => data.decision === "edited");
  const by = [
    ...changed.map(({ who }) => who),
    ...(edited === undefined ? [] : [edited.data.by ?? "an approver"]),
  ];
  const title = by.length === 0 ? "executed as asked" : `executed, as changed by ${by.join(", then ")}`;
  steps.push({ title, input: executed.data.input, digest: executed.data.digest });
  return steps;
}
