import { canonicalJson, type JsonValue } from "@basis/core";
import type { ApprovalSubject } from "./approval-request.ts";

/** An approver's edit that waits to come back from the hooks. */
export interface PendingEdit {
  /** How often this call has been edited. */
  readonly rounds: number;
  readonly by: string;
  /** The edit was to be remembered for the session. */
  readonly remember: boolean;
  readonly expected: string;
  readonly expiresAt: number;
}

/** How a call that comes back compares with what the approver put in place. */
export type EditReturn = { readonly state: "settled" | "changed"; readonly edit: PendingEdit };

/** The edits in flight of one gate, by call key. */
export interface EditRounds {
  begin(subject: ApprovalSubject, edit: { input: JsonValue; by: string; remember: boolean }): PendingEdit;
  /** Takes the call's edit out; undefined when it was never edited. The number of rounds stays known until `end`. */
  comeBack(subject: ApprovalSubject): EditReturn | undefined;
  end(callKey: string): void;
}

/** Edits that never come back are forgotten after `ttlMs`. */
export function createEditRounds(ttlMs: number, now: () => number): EditRounds {
  const edits = new Map<string, PendingEdit>();
  const dropExpired = (): void => {
    for (const [callKey, edit] of edits) {
      if (now() < edit.expiresAt) return;
      edits.delete(callKey);
    }
  };
  return {
    begin(subject, { input, by, remember }) {
      dropExpired();
      const rounds = (edits.get(subject.callKey)?.rounds ?? 0) + 1;
      const expected = unchangedFacts({ ...subject, input });
      const edit = { rounds, by, remember, expected, expiresAt: now() + ttlMs };
      edits.delete(subject.callKey);
      edits.set(subject.callKey, edit);
      return edit;
    },
    comeBack(subject) {
      const edit = edits.get(subject.callKey);
      if (edit === undefined || now() >= edit.expiresAt) return undefined;
      return { state: edit.expected === unchangedFacts(subject) ? "settled" : "changed", edit };
    },
    end: (callKey) => void edits.delete(callKey),
  };
}

/** What must be as the approver left it; only the preview follows from the input and may differ. */
function unchangedFacts(subject: ApprovalSubject): string {
  const { callKey, agentId, toolName, input, cwd, binding, toolIdentity, evidence, effect } = subject;
  const { sideEffectLevel } = subject;
  return canonicalJson({
    callKey,
    agentId,
    toolName,
    input,
    cwd,
    binding,
    toolIdentity,
    evidence,
    effect,
    sideEffectLevel,
  });
}
