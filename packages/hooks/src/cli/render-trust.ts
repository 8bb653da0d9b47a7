import { isJsonObject, visibleText, type JsonObject } from "@basis/core";
import type { HookSettings } from "../node/hook-spec.ts";
import type { EntryPin, EntryTrust, FilePin } from "../trust/trust-record.ts";
import type { HookListing } from "./hook-listing.ts";
import { definitions, shortDigest, wrap, type Paint } from "./layout.ts";
import { commandLine, describeFilter, describeMode } from "./settings-words.ts";

/** What a yes would cover, in lines; everything from the repository is made visible. */
export function renderTrust(listing: HookListing, paint: Paint): string {
  const { workspace, path, hooks, pins, entries, trust } = listing;
  const own = hooks.filter(({ rank }) => rank === "workspace");
  const shown = own.map(({ settings }, index) =>
    renderEntry(entries[index]!, describeEntry(settings, pins[index]!), paint),
  );
  const gone = entries
    .slice(own.length)
    .map(({ name, why = "" }) => `${paint.bad(`hook '${visibleText(name)}'`)}  ${visibleText(why)}`);
  const state = trust === "trusted" ? paint.good(trust) : paint.bad(trust);
  const head = `${visibleText(workspace)}\n${visibleText(path)}`;
  if (own.length === 0 && gone.length === 0) return `${head}\n\nthere are no hooks to trust\n`;
  const parts = [
    head,
    ...shown,
    ...gone,
    `${paint.strong("state")}  ${state}, ${shortDigest(listing.digest)}`,
  ];
  return `${parts.join("\n\n")}\n`;
}

type Rows = readonly (readonly [string, string])[];

function describeEntry(settings: HookSettings, { program, files, unpinned }: EntryPin): Rows {
  const { command, env } = settings;
  return [
    ["runs", commandLine(command)],
    ["program", programInWords(program)],
    ["asked", describeFilter(settings)],
    ["mode", describeMode(settings)],
    ...(env.length > 0 ? [["env", env.join(", ")] as const] : []),
    ...files.map((file) => ["pinned", fileInWords(file)] as const),
    ...unpinned.map((why) => ["unpinned", why] as const),
  ];
}

function renderEntry({ name, state, why }: EntryTrust, rows: Rows, paint: Paint): string {
  const shownState = state === "trusted" ? paint.good(state) : paint.bad(state);
  const lines = [
    `${paint.strong(`hook '${visibleText(name)}'`)}  ${shownState}`,
    ...(why === undefined ? [] : [`  ${wrap(visibleText(why), 2)}`]),
    definitions(rows.map(([term, about]) => [term, visibleText(about)])),
  ];
  return lines.join("\n");
}

function programInWords(program: string): string {
  switch (program) {
    case "host":
      return "the Node that runs this";
    case "file":
      return "a file of its own, pinned below";
    case "none":
      return "there is none of that name";
    default:
      return program;
  }
}

function fileInWords({ path, digest }: FilePin): string {
  return `${path}  ${digest === null ? "cannot be read" : shortDigest(digest)}`;
}

/** The same as a document, digests in full. */
export function trustToWire(listing: HookListing): JsonObject {
  const { workspace, path, trust, digest, pins, entries } = listing;
  return {
    workspace,
    file: path,
    state: trust,
    digest,
    entries: entries.map((entry, index) => ({ ...entry, ...pinToWire(pins[index]) })),
  };
}

/** Entries that are gone have no pin. */
function pinToWire(pin: EntryPin | undefined): JsonObject {
  if (pin === undefined || !isJsonObject(pin.settings)) return {};
  const { settings, program, files } = pin;
  return { settings, program, files: files.map(({ path, digest }) => ({ path, digest })) };
}
