import { isJsonObject, type JsonValue } from "@basis/core";

/** The kind of side state under which a host keeps a session's tool access policy for forks to narrow. */
export const TOOL_ACCESS_KIND = "tool_access_policy";

/** Which tools a member may use, by name. Without `allow`, all that `deny` does not name. */
export interface ToolAccessPolicy {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
}

/**
 * The policy that satisfies both: every denial of either, and only what each `allow` list that is there names.
 * Undefined where neither says anything.
 */
export function narrowToolAccess(
  left: ToolAccessPolicy | undefined,
  right: ToolAccessPolicy | undefined,
): ToolAccessPolicy | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  const allow = intersection(left.allow, right.allow);
  const deny = [...new Set([...(left.deny ?? []), ...(right.deny ?? [])])];
  return { ...(allow && { allow }), ...(deny.length > 0 && { deny }) };
}

/**
 * Reads a stored policy.
 *
 * @throws TypeError when something is stored that is none: a policy that cannot be read must not count as absent.
 */
export function readToolAccess(value: JsonValue | undefined): ToolAccessPolicy | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isJsonObject(value)) throw new TypeError("a stored tool access policy is not an object");
  const allow = readNames(value["allow"]);
  const deny = readNames(value["deny"]);
  return { ...(allow && { allow }), ...(deny && { deny }) };
}

function readNames(value: JsonValue | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  if (Array.isArray(value) && value.every((name) => typeof name === "string")) return value;
  throw new TypeError("a stored tool access policy holds something else than names");
}

function intersection(
  left: readonly string[] | undefined,
  right: readonly string[] | undefined,
): readonly string[] | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  const wanted = new Set(right);
  return left.filter((name) => wanted.has(name));
}
