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
  /** How many of its events made room and were not read again yet. */
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

/**
 * The forms of the input, each with who made it. What a host does not tell of is left out. A call that waited is judged
 * once more when it goes on: the last judgement stands, behind an edit of its approver if there was one.
 */
export function inputSteps({ asked, executed, events }: CallDetail): readonly InputStep[] {
  if (asked === undefined) return [];
  let settled: readonly InputStep[] = [{ title: "asked by the model", input: asked.data.input }];
  let judged: readonly InputStep[] = [];
  let untold: readonly string[] = [];
  for (const event of events) {
    if (event.type === "hook_decided" && event.data.event === "pre_tool_use")
      ({ judged, untold } = changesOf(event.data, untold));
    if (event.type !== "permission_resolved" || event.data.decision !== "edited") continue;
    settled = [...settled, ...judged];
    judged = [];
    untold = [event.data.by ?? "its approver"];
  }
  const steps = [...settled, ...judged];
  if (executed === undefined) return steps;
  const by = untold.length === 0 ? "" : `, as changed by ${untold.join(" and ")}`;
  return [...steps, { title: `executed${by}`, input: executed.data.input }];
}

interface Changes {
  readonly judged: readonly InputStep[];
  /** Who changed it without that the log tells how. */
  readonly untold: readonly string[];
}

/** What participants made of the input, in their order. */
function changesOf({ participants }: EventOf<"hook_decided">["data"], before: readonly string[]): Changes {
  const judged: InputStep[] = [];
  const untold = before.filter((who) => !participants.some((each) => each.who === who));
  for (const { who, decision, shadow, input } of participants) {
    if (decision !== "modify" || shadow === true) continue;
    if (input === undefined) untold.push(who);
    else judged.push({ title: `changed by ${who}`, input });
  }
  return { judged, untold };
}
