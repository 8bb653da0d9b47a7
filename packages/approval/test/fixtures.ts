import { manualClock, type ManualClock } from "@basis/core/testing";
import {
  createApprovalGate,
  type ApprovalGate,
  type ApprovalGateOptions,
  type ApprovalRequest,
  type Approver,
  type ApproverAnswer,
} from "../src/index.ts";

/** A consequential call of a file tool. */
export const writeCall: ApprovalRequest = {
  callKey: "session-1/4/0",
  agentId: "main",
  toolName: "write",
  input: { path: "src/a.ts", text: "x" },
  sideEffectLevel: "local_state",
  sessionId: "session-1",
  workspace: "/repo",
};

/** A delegation with the preview of the spawn tool. */
export const spawnCall: ApprovalRequest = {
  callKey: "session-1/6/0",
  agentId: "main",
  toolName: "spawn",
  input: { input: "find the bug" },
  preview: { body: "find the bug", cwd: "/repo/src", mode: "agent", target: "local" },
  sideEffectLevel: "local_state",
  sessionId: "session-1",
  binding: "sha256:plan",
};

/** A command through the spawn tool. */
export const commandCall: ApprovalRequest = {
  ...spawnCall,
  callKey: "session-1/8/0",
  input: { input: "!git status" },
  preview: { body: "git status", cwd: "/repo", mode: "command", target: "local" },
  sideEffectLevel: "process",
};

/** An approver that answers from a list (the last answer again and again) and remembers what it was asked. */
export interface ScriptedApprover extends Approver {
  readonly asked: Parameters<Approver["approve"]>[0][];
}

export function scriptedApprover(...answers: readonly unknown[]): ScriptedApprover {
  const asked: ScriptedApprover["asked"] = [];
  return {
    name: "script",
    asked,
    approve(request) {
      asked.push(request);
      return (answers[asked.length - 1] ?? answers.at(-1)) as ApproverAnswer;
    },
  };
}

/** An approver that never answers; `reached` settles when it is first asked. */
export function silentApprover(): Approver & { readonly reached: Promise<void> } {
  let asked: () => void;
  const reached = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const approve = (): Promise<never> => {
    asked();
    return new Promise(() => undefined);
  };
  return { approve, reached };
}

export interface GateFixture {
  readonly gate: ApprovalGate;
  readonly approver: ScriptedApprover;
  readonly clock: ManualClock;
}

/** A gate over a scripted approver and a clock that moves only when told to. */
export function gateWith(answer: unknown, options: Partial<ApprovalGateOptions> = {}): GateFixture {
  const clock = manualClock();
  const approver = scriptedApprover(...(Array.isArray(answer) ? answer : [answer]));
  return { gate: createApprovalGate({ approver, clock, ...options }), approver, clock };
}

export const allow = { decision: "allow" } as const;
export const deny = { decision: "deny", reason: "not today" } as const;
