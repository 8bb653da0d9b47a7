import { childPointer } from "@basis/core";
import type { HookEvent } from "@basis/hooks";
import type { DialectHook, DialectName } from "../bridge/dialect.ts";
import { Entry, EntryProblem, type EventTable, type LeftOut, type SettingsReading } from "./entry.ts";

/** What of a handler a vendor spells in its own way. */
export type Handler = Pick<
  DialectHook,
  "command" | "timeoutMs" | "onFailure" | "isAsync" | "env" | "condition"
>;

/** A handler that cannot be run here; undefined members would drop a guard. */
export interface Unsupported {
  readonly why: string;
  /** Nothing of it could have stopped anything. */
  readonly isHarmless?: boolean;
}

/** A vendor whose settings are events of groups of handlers. */
export interface GroupedFormat {
  readonly dialect: DialectName;
  readonly events: EventTable;
  /** Keys of a group beside `matcher` and `hooks` that change nothing here. */
  readonly groupKeys: readonly string[];
  /** Why a matcher cannot be read; undefined when it can. */
  matcherProblem(matcher: string): string | undefined;
  handler(entry: Entry): Handler | Unsupported;
}

/** A file without hooks. */
const NOTHING: SettingsReading = { hooks: [], leftOut: [], refused: [] };

/** Where an entry stands, for its name. */
interface Place {
  readonly event: string;
  readonly group: number;
}

/**
 * Reads `{Event: [{matcher?, hooks: [handler…]}]}` below `hooks`, which may be missing.
 *
 * @throws EntryProblem, for an event outside `hooks` too: its vendor does not run it, but it was meant to guard.
 */
export function readGrouped(document: Entry, format: GroupedFormat): SettingsReading {
  for (const event of format.events.keys()) {
    if (document.has(event))
      throw new EntryProblem(childPointer("", event), `the event '${event}' must stand below 'hooks'`);
  }
  if (!document.has("hooks")) return NOTHING;
  const reading = new GroupReading(format);
  const events = document.child("hooks");
  for (const { name: event } of document.members("hooks")) {
    for (const [index, { value, pointer }] of events.list(event).entries())
      reading.group(new Entry(value, pointer), { event, group: index + 1 });
  }
  return reading;
}

class GroupReading implements SettingsReading {
  readonly hooks: DialectHook[] = [];
  readonly leftOut: LeftOut[] = [];
  readonly refused: LeftOut[] = [];
  readonly #format: GroupedFormat;

  constructor(format: GroupedFormat) {
    this.#format = format;
  }

  group(group: Entry, place: Place): void {
    const { groupKeys, matcherProblem } = this.#format;
    const matcher = group.text("matcher");
    const why = matcher === undefined ? undefined : matcherProblem(matcher);
    if (why !== undefined) throw new EntryProblem(`${group.pointer}/matcher`, why);
    if (!group.has("hooks")) throw new EntryProblem(group.pointer, "a group needs 'hooks'");
    const handlers = group.list("hooks");
    group.ignore(...groupKeys);
    group.finish();
    for (const [index, { value, pointer }] of handlers.entries()) {
      const { dialect } = this.#format;
      const name = `${dialect} ${place.event} ${place.group}.${index + 1}`;
      this.#add(new Entry(value, pointer), { name, event: place.event, matcher });
    }
  }

  #add(entry: Entry, about: Pick<DialectHook, "name" | "event" | "matcher">): void {
    const { event } = about;
    const { pointer } = entry;
    const meaning = this.#format.events.get(event);
    if (meaning === undefined || meaning === "guards") {
      const what = meaning === undefined ? "is not known" : "has no place in a chain around tool calls";
      this.refused.push({ pointer, event, why: `the event ${event} ${what}` });
    } else if (meaning === "tells") {
      this.leftOut.push({ pointer, event, why: `${event} only tells, and is not about a tool call` });
    } else this.#addHandler(entry, { ...about, pointer, moment: meaning });
  }

  #addHandler(
    entry: Entry,
    about: Pick<DialectHook, "name" | "event" | "matcher" | "pointer"> & { readonly moment: HookEvent },
  ): void {
    const handler = this.#format.handler(entry);
    if ("why" in handler) {
      const { pointer, event } = about;
      (handler.isHarmless === true ? this.leftOut : this.refused).push({ pointer, event, why: handler.why });
      return;
    }
    entry.finish();
    this.hooks.push(Object.freeze({ ...about, ...handler }));
  }
}
