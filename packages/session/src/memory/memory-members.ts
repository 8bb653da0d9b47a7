import type { MemberRegistry } from "../member.ts";
import { SessionError } from "../session-error.ts";
import { pageOf } from "./memory-page.ts";
import type { MemoryState } from "./memory-state.ts";

/** The member registry of a memory store. */
export function memoryMembers<M>(state: MemoryState<M>): MemberRegistry {
  return {
    async get(member, options) {
      state.enter(options?.signal);
      return state.members.get(member);
    },
    async holder(member, options) {
      state.enter(options?.signal);
      const operationId = state.reservations.get(member);
      if (operationId !== undefined) return Object.freeze({ holder: "reserved", operationId });
      const seated = state.members.get(member);
      return seated && Object.freeze({ holder: "seated", sessionId: seated.sessionId });
    },
    async list(request) {
      state.enter(request?.signal);
      return pageOf(state.members.values(), ({ member }) => member, request);
    },
    async retire(member, options) {
      state.enter(options?.signal);
      const seated = state.members.get(member);
      if (seated === undefined) {
        throw new SessionError("unknown_member", `there is no member ${member}`, { details: { member } });
      }
      state.members.delete(member);
      const session = state.session(seated.sessionId);
      session.record = Object.freeze({ ...session.record, binding: null, updatedAt: state.clock.now() });
      return seated;
    },
  };
}
