import type { ModelMessage } from "../../providers/model.ts";
import { secrets } from "../../secrets/secrets.ts";

declare const stored: unique symbol;

/** A message as the store will hand it out again, without the secrets in it. */
export type StoredMessage<M extends ModelMessage = ModelMessage> = M & { readonly [stored]?: true };

/** The message as it is to be stored. */
export function storedMessage<M extends ModelMessage>(message: M): StoredMessage<M> {
  return storable(secrets.redactJson(message));
}

/**
 * The value as the store will hand it out again: keys in canonical order, frozen, every text well-formed (a lone
 * half of a surrogate pair is no character, and no store keeps it). So a request has the same bytes whether its rows
 * were just written or read back.
 */
export function storable<T>(value: T): T {
  return settle(value) as T;
}

function settle(value: unknown): unknown {
  if (typeof value === "string") return wellFormed(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return Object.freeze(value.map((item) => settle(item ?? null)));
  const keys = sortedKeys(value);
  return Object.freeze(keys.every(isPlainKey) ? sortedMembers(value, keys) : renamedMembers(value));
}

/** More keys than this are left to the engine's own sort; few are faster inserted one by one, in place. */
const FEW_KEYS = 24;

function sortedKeys(value: object): readonly string[] {
  const keys = Object.keys(value);
  if (keys.length > FEW_KEYS) return keys.toSorted();
  for (let next = 1; next < keys.length; next += 1) {
    const key = keys[next]!;
    let at = next;
    for (; at > 0 && keys[at - 1]! > key; at -= 1) keys[at] = keys[at - 1]!;
    keys[at] = key;
  }
  return keys;
}

function sortedMembers(source: object, keys: readonly string[]): object {
  const members: Record<string, unknown> = {};
  for (const key of keys) {
    const member = (source as Readonly<Record<string, unknown>>)[key];
    if (member !== undefined) members[key] = settle(member);
  }
  return members;
}

function renamedMembers(source: object): object {
  const members = Object.entries(source)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => [wellFormed(key), settle(member)] as const)
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(members);
}

/** True for a key that an assignment keeps as it is. */
function isPlainKey(key: string): boolean {
  return key !== "__proto__" && wellFormed(key) === key;
}

function wellFormed(text: string): string {
  return (text as string & { readonly toWellFormed: () => string }).toWellFormed();
}
