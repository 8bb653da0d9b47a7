import type { MemberRecord } from "@mobkit/session";
import type { ForkContext } from "./fork-context.ts";
import {
  readStoredAccess,
  sessionToolAccess,
  TOOL_ACCESS_KIND,
  type ToolAccessPolicy,
} from "./tool-access.ts";

/** A member that is to be forked. */
export interface FoundSource {
  readonly member: MemberRecord;
  /** The policy in effect for its session. @throws TypeError for one that can't be read, and whatever the store refuses with. */
  toolAccess(): Promise<ToolAccessPolicy | undefined>;
}

/** The seated member of a name; in one look where members, ledger and sessions are one store's. */
export async function lookUpSource<M>(
  context: ForkContext<M>,
  name: string,
  signal: AbortSignal,
): Promise<FoundSource | undefined> {
  const { store, members, operations } = context;
  if (store.forks.source !== undefined && members === store.members && operations === store.operations) {
    const found = await store.forks.source({ member: name, kind: TOOL_ACCESS_KIND, signal });
    return found && { member: found.member, toolAccess: async () => readStoredAccess(found) };
  }
  const member = await members.get(name, { signal });
  if (member === undefined) return undefined;
  const sideState: typeof store.sideState = (id, kind, call) => store.sideState(id, kind, call);
  return {
    member,
    toolAccess: () => sessionToolAccess({ operations, sideState }, member.sessionId, { signal }),
  };
}
