import type { JSX } from "preact";
import type { CallNode, ForkNode, RunNode } from "../../state/model.ts";
import type { RowNode } from "../../state/row-key.ts";
import type { Rpc } from "../../stream/rpc-client.ts";
import type { Source } from "../../stream/source.ts";
import { ApprovalAction } from "./approval-action.tsx";
import { ExportAction } from "./export-action.tsx";
import { TwoStep } from "./two-step.tsx";

export interface ActionBarProps {
  readonly node: RowNode;
  readonly source: Source;
}

/** What can be done about a row. */
export function ActionBar({ node, source }: ActionBarProps): JSX.Element | null {
  const actions = actionsFor(node, source);
  return actions === null ? null : <div class="actions">{actions}</div>;
}

function actionsFor(node: RowNode, source: Source): JSX.Element | null {
  const { rpc } = source;
  if (node.kind === "session") return <ExportAction source={source} session={node.session} />;
  if (rpc === undefined) return null;
  switch (node.kind) {
    case "call":
      return approvalFor(node, source, rpc);
    case "run":
      return node.status === "running" ? <CancelAction run={node} rpc={rpc} /> : null;
    case "fork":
      return node.state === "unseated" ? <RecoverAction fork={node} rpc={rpc} /> : null;
    default:
      return null;
  }
}

function approvalFor(call: CallNode, { recording }: Source, rpc: Rpc): JSX.Element | null {
  const { permission, endedAt, executedAt } = call;
  const isWaiting = permission?.state === "parked" && endedAt === undefined && executedAt === undefined;
  if (!isWaiting || permission.approvalId === undefined) return null;
  return <ApprovalAction call={call} approvalId={permission.approvalId} store={recording.store} rpc={rpc} />;
}

function CancelAction({ run, rpc }: { readonly run: RunNode; readonly rpc: Rpc }): JSX.Element {
  const end = async (method: "runs/stop" | "runs/cancel", done: string): Promise<string> => {
    const { was_running: wasRunning } = await rpc<{ was_running: boolean }>(method, { run: run.id });
    return wasRunning ? done : `This server does not run it. In a terminal: basis cancel ${run.id}`;
  };
  return (
    <>
      <TwoStep
        label="Stop …"
        confirm="Stop this run and keep its work"
        act={() => end("runs/stop", "Asked to stop; its work is kept.")}
      />
      <TwoStep
        label="Cancel …"
        confirm="Cancel this run and roll its turn back"
        tone="bad"
        act={() => end("runs/cancel", "Asked to end; its turn is rolled back.")}
      >
        <p>What its tools have done outside the session stays done.</p>
      </TwoStep>
    </>
  );
}

function RecoverAction({ fork, rpc }: { readonly fork: ForkNode; readonly rpc: Rpc }): JSX.Element {
  const act = async (): Promise<string> => {
    await rpc("mobkit/resume_fork", { operation_id: fork.operation! });
    return `${fork.member} is seated.`;
  };
  return (
    <TwoStep label="Recover …" confirm={`Seat ${fork.member} in its fork`} act={act}>
      <p>The fork is committed and keeps its messages; its member is provisioned once more.</p>
    </TwoStep>
  );
}
