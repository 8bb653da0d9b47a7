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
}

/** The forms of the input, each with who made it. What a host does not tell of is left out. */
export function inputSteps({ asked, decided, resolved, executed }: CallDetail): readonly InputStep[] {
  if (asked === undefined) return [];
  const steps: InputStep[] = [{ title: "asked by the model", input: asked.data.input }];
  const untold: string[] = [];
  for (const { who, input } of changesOf(decided)) {
    if (input === undefined) untold.push(who);
    else steps.push({ title: `changed by ${who}`, input });
  }
  if (executed === undefined) return steps;
  const edited = resolved.findLast(({ data }) => data.decision === "edited");
  if (edited !== undefined) untold.push(edited.data.by ?? "its approver");
  const by = untold.length === 0 ? "" : `, as changed by ${untold.join(" and ")}`;
  steps.push({ title: `executed${by}`, input: executed.data.input });
  return steps;
}

/** What participants made of the input, in their order. */
function changesOf(decided: CallDetail["decided"]): EventOf<"hook_decided">["data"]["participants"] {
  return decided.flatMap(({ data: { event, participants } }) =>
    event === "pre_tool_use"
      ? participants.filter(({ decision, shadow }) => decision === "modify" && shadow !== true)
      : [],
  );
}
