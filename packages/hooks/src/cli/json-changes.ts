import { childPointer, isJsonObject, type JsonValue } from "@basis/core";

/** One place at which two values differ; what is absent was added or removed there. */
export interface JsonChange {
  readonly pointer: string;
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/** Where two values differ: members by name, items by place. Equal values have no changes. */
export function jsonChanges(before: JsonValue, after: JsonValue, pointer = ""): readonly JsonChange[] {
  if (before === after) return [];
  const [left, right] = [membersOf(before), membersOf(after)];
  if (left === undefined || right === undefined || Array.isArray(before) !== Array.isArray(after))
    return [{ pointer, before, after }];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((key) => {
    const at = childPointer(pointer, key);
    const [was, is] = [left.get(key), right.get(key)];
    if (was === undefined) return [{ pointer: at, after: is! }];
    return is === undefined ? [{ pointer: at, before: was }] : jsonChanges(was, is, at);
  });
}

function membersOf(value: JsonValue): ReadonlyMap<string, JsonValue> | undefined {
  if (Array.isArray(value))
    return new Map((value as readonly JsonValue[]).map((item, index) => [String(index), item]));
  return isJsonObject(value) ? new Map(Object.entries(value)) : undefined;
}
