import type { DialectHook, DialectName } from "../bridge/dialect.ts";
import { Entry, EntryProblem, type EventTable, type LeftOut, type SettingsReading } from "./entry.ts";
import { matcherProblem } from "./event-table.ts";
import type { Handler, Unsupported } from "./grouped-settings.ts";
import { ownPlatform, type Platform } from "./platform.ts";

/** A vendor whose settings are events of handlers, and of version 1. */
export interface FlatFormat {
  readonly dialect: DialectName;
  readonly events: EventTable;
  /** False where handlers have no matcher. */
  readonly matches?: false;
  handler(
    entry: Entry,
    platform: Platform,
  ): (Handler & Pick<DialectHook, "cwd" | "otherLines">) | Unsupported;
}

/** Reads `{version: 1, hooks: {event: [handler…]}}`. @throws EntryProblem. */
export function readFlat(
  document: Entry,
  format: FlatFormat,
  platform: Platform = ownPlatform(),
): SettingsReading {
  const version = document.number("version");
  if (version !== undefined && version !== 1)
    throw new EntryProblem("/version", "this version reads version 1");
  const hooks: DialectHook[] = [];
  const leftOut: LeftOut[] = [];
  const refused: LeftOut[] = [];
  const events = document.child("hooks");
  for (const { name: event } of document.members("hooks")) {
    for (const [index, { value, pointer }] of events.list(event).entries()) {
      const read = readOne(new Entry(value, pointer), event, { format, platform });
      if ("moment" in read)
        hooks.push(Object.freeze({ ...read, name: `${format.dialect} ${event} ${index + 1}` }));
      else (read.isHarmless === true ? leftOut : refused).push({ pointer, event, why: read.why });
    }
  }
  document.finish();
  return { hooks, leftOut, refused };
}

function readOne(
  entry: Entry,
  event: string,
  { format, platform }: { readonly format: FlatFormat; readonly platform: Platform },
): Omit<DialectHook, "name"> | Unsupported {
  const meaning = format.events.get(event);
  if (meaning === undefined) return { why: `the event ${event} is not known` };
  if (meaning === "guards") return { why: `the event ${event} has no place in a chain around tool calls` };
  if (meaning === "tells")
    return { why: `${event} only tells, and is not about a tool call`, isHarmless: true };
  const matcher = format.matches === false ? undefined : entry.text("matcher");
  const why = matcher === undefined ? undefined : matcherProblem(matcher);
  if (why !== undefined) throw new EntryProblem(`${entry.pointer}/matcher`, why);
  const handler = format.handler(entry, platform);
  if ("why" in handler) return handler;
  entry.finish();
  return { ...handler, pointer: entry.pointer, event, moment: meaning, matcher };
}
