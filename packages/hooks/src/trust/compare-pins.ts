import { canonicalJson, type JsonObject } from "@basis/core";
import type { EntryPin, EntryTrust, FilePin, TrustState } from "./trust-record.ts";

/** What the comparison of a set came to. */
export interface PinComparison {
  readonly state: TrustState;
  readonly entries: readonly EntryTrust[];
}

/**
 * Compares the entries that are there with those that were trusted, in order. Anything that differs makes the set
 * `modified`; without a record it is `untrusted`, and an empty set needs none.
 */
export function comparePins(
  trusted: readonly EntryPin[] | undefined,
  current: readonly EntryPin[],
): PinComparison {
  if (trusted === undefined) {
    const entries = current.map((pin) => entryTrust(pin, "untrusted", "nobody has trusted it"));
    return { state: current.length === 0 ? "trusted" : "untrusted", entries };
  }
  const places = placesOf(trusted, current);
  const entries = current.map((pin, index) => compareEntry(pin, { index, place: places[index], trusted }));
  const gone = trusted
    .filter((_pin, index) => !places.includes(index))
    .map((pin) => entryTrust(pin, "modified", "it was trusted and is gone"));
  const all = [...entries, ...gone];
  return { state: all.every(({ state }) => state === "trusted") ? "trusted" : "modified", entries: all };
}

/** For each current entry the place of the trusted one it goes back to: the same place first, then the same name. */
function placesOf(
  trusted: readonly EntryPin[],
  current: readonly EntryPin[],
): readonly (number | undefined)[] {
  const taken = new Set<number>();
  const places = current.map((pin, index) => {
    if (trusted[index]?.name !== pin.name) return undefined;
    taken.add(index);
    return index;
  });
  return places.map((place, index) => {
    if (place !== undefined) return place;
    const found = trusted.findIndex((pin, at) => !taken.has(at) && pin.name === current[index]?.name);
    if (found < 0) return undefined;
    taken.add(found);
    return found;
  });
}

function compareEntry(
  pin: EntryPin,
  where: { index: number; place: number | undefined; trusted: readonly EntryPin[] },
): EntryTrust {
  const { index, place, trusted } = where;
  const was = place === undefined ? undefined : trusted[place];
  if (was === undefined || place === undefined)
    return entryTrust(pin, "untrusted", "it was added after the others were trusted");
  const changes = changesOf(was, pin);
  if (place !== index) changes.unshift(`it moved from place ${place + 1} to ${index + 1}`);
  return changes.length === 0 ? entryTrust(pin, "trusted") : entryTrust(pin, "modified", changes.join("; "));
}

function changesOf(was: EntryPin, is: EntryPin): string[] {
  if (was.digest === is.digest)
    return was.unpinned.length === 0 && is.unpinned.length > 0 ? [is.unpinned.join("; ")] : [];
  const changes = changedKeys(was.settings, is.settings).map((key) => `'${key}' changed`);
  if (was.program !== is.program) changes.push(`its program was '${was.program}' and is '${is.program}'`);
  changes.push(...changedFiles(was.files, is.files));
  return changes.length === 0 ? ["it changed"] : changes;
}

function changedKeys(was: JsonObject, is: JsonObject): readonly string[] {
  const keys = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...keys].filter((key) => canonicalJson(was[key] ?? null) !== canonicalJson(is[key] ?? null));
}

function changedFiles(was: readonly FilePin[], is: readonly FilePin[]): readonly string[] {
  const before = new Map(was.map(({ path, digest }) => [path, digest]));
  const after = new Map(is.map(({ path, digest }) => [path, digest]));
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .map((path) => (after.get(path) === null ? `${path} cannot be read` : `${path} changed`));
}

function entryTrust(pin: EntryPin, state: TrustState, why?: string): EntryTrust {
  const { name, digest, unpinned } = pin;
  return { name, state, ...(why !== undefined && { why }), digest, unpinned };
}
