import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { callDetail } from "../../state/call-detail.ts";
import type { EventStore } from "../../state/event-store.ts";
import type { CallNode } from "../../state/model.ts";
import { RpcFailure, type Rpc } from "../../stream/rpc-client.ts";
import { Code, Line, Value } from "../text.tsx";
import { problemOf, RememberRule, useRule } from "./remember-rule.tsx";
import { TwoStep } from "./two-step.tsx";

/** The token by which a person answers: in the memory of this page alone, and gone with it (ADR 0043). */
let held: string | undefined;

export interface ApprovalProps {
  readonly call: CallNode;
  readonly approvalId: string;
  readonly store: EventStore;
  readonly rpc: Rpc;
}

/** Allows or denies the call that waits. */
export function ApprovalAction(props: ApprovalProps): JSX.Element {
  return (
    <>
      <Answer {...props} decision="allow" />
      <Answer {...props} decision="deny" />
    </>
  );
}

interface AnswerProps extends ApprovalProps {
  readonly decision: "allow" | "deny";
}

function Answer({ call, approvalId, store, rpc, decision }: AnswerProps): JSX.Element {
  const reason = useRef<HTMLTextAreaElement>(null);
  const token = useRef<HTMLInputElement>(null);
  const [goesOn, setGoesOn] = useState(true);
  const rule = useRule({ rpc, approval: approvalId, decision });
  const act = async (): Promise<string> => {
    const why = reason.current?.value.trim() ?? "";
    const grant = held ?? token.current?.value.trim() ?? "";
    const problem = grant === "" ? "Paste the token first." : problemOf(rule);
    if (problem !== undefined) throw new RpcFailure("invalid_params", problem);
    const member = await answer(rpc, { approvalId, decision, why, grant, scope: rule.scope });
    const done = decision === "allow" ? "Allowed." : "Denied.";
    if (!goesOn || member === null) return done;
    await rpc("runs/start", { session: member });
    return `${done} Its session goes on.`;
  };
  return (
    <TwoStep
      label={decision === "allow" ? "Allow …" : "Deny …"}
      confirm={decision === "allow" ? `Allow this call of ${call.tool}` : `Deny this call of ${call.tool}`}
      tone={decision === "allow" ? "good" : "bad"}
      act={act}
    >
      <Asked call={call} store={store} />
      <label>
        Reason {decision === "allow" ? "(kept with the answer)" : "(the agent reads it)"}
        <textarea ref={reason} rows={2} maxLength={2000} />
      </label>
      <RememberRule rule={rule} />
      {held === undefined && (
        <label>
          <span>
            Token that <code>basis approvals token</code> printed in a terminal; a reload forgets it
          </span>
          <input ref={token} type="password" autocomplete="off" spellcheck={false} />
        </label>
      )}
      <label class="check">
        <input type="checkbox" checked={goesOn} onChange={() => setGoesOn(!goesOn)} /> then go on with the
        session
      </label>
    </TwoStep>
  );
}

/** What is answered: the call as it would run, how far it reaches, and the digest that binds the answer to it. */
function Asked({ call, store }: Pick<ApprovalProps, "call" | "store">): JSX.Element {
  const asked = callDetail(store, call).requested.at(-1)?.data;
  if (asked === undefined)
    return <p class="hint">What is asked about is not held by this page: see basis approvals list.</p>;
  return (
    <>
      <p>
        <b>
          <Line text={asked.tool_name} />
        </b>{" "}
        · <Line text={asked.level.replaceAll("_", " ")} />
      </p>
      <Value value={asked.preview} label="the call that is asked about" />
      <Code text={asked.digest} />
    </>
  );
}

interface Given {
  readonly approvalId: string;
  readonly decision: "allow" | "deny";
  readonly why: string;
  readonly grant: string;
  readonly scope: string;
}

/** A token that was right is kept for the next answer; one that was not is asked for again. */
async function answer(rpc: Rpc, { approvalId, decision, why, grant, scope }: Given): Promise<string | null> {
  const params = {
    approval: approvalId,
    decision,
    ...(why !== "" && { reason: why }),
    ...(scope !== "" && { remember: { scope } }),
  };
  try {
    const { member } = await rpc<{ member: string | null }>("approvals/answer", params, { grant });
    held = grant;
    return member;
  } catch (error) {
    if (error instanceof RpcFailure && error.kind !== "approval_closed") held = undefined;
    throw error;
  }
}
