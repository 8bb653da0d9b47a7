import { isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import type { CallOptions, ForkLedger, ForkSource, SideState } from "@mobkit/session";

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

/** The policy that a fork's stored request holds. @throws TypeError as `readToolAccess`. */
export function storedToolAccess(request: JsonObject): ToolAccessPolicy | undefined {
  return Object.hasOwn(request, "toolAccessPolicy") ? readToolAccess(request["toolAccessPolicy"]) : undefined;
}

/** What `sessionToolAccess` reads from; every session store is one. */
export interface ToolAccessStore {
  readonly operations: Pick<ForkLedger<unknown>, "ofSession">;
  sideState(sessionId: string, kind: string, options?: CallOptions): Promise<SideState | undefined>;
}

/**
 * The policy in effect for a session: that of the fork it came from, narrowed by its side state of kind
 * `tool_access_policy`. Undefined when it has neither: every tool is allowed then.
 *
 * @throws TypeError as `readToolAccess`, and whatever the store refuses with.
 */
export async function sessionToolAccess(
  store: ToolAccessStore,
  sessionId: string,
  options: CallOptions = {},
): Promise<ToolAccessPolicy | undefined> {
  const state = await store.sideState(sessionId, TOOL_ACCESS_KIND, options);
  const made = await store.operations.ofSession(sessionId, options);
  return readStoredAccess({ madeBy: made?.request, sideState: state });
}

/**
 * The policy that a session's origin and its side state amount to.
 *
 * @throws TypeError as `readToolAccess`.
 */
export function readStoredAccess(
  stored: Pick<ForkSource, "madeBy" | "sideState">,
): ToolAccessPolicy | undefined {
  const { madeBy, sideState } = stored;
  return narrowToolAccess(madeBy && storedToolAccess(madeBy), readToolAccess(sideState?.value));
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
