import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { nameOf } from "../../state/lineage.ts";
import type { SessionNode } from "../../state/model.ts";
import type { ForkPoint } from "../../state/transcript.ts";
import { RpcFailure } from "../../stream/rpc-client.ts";
import type { Source } from "../../stream/source.ts";
import { TwoStep } from "./two-step.tsx";

export interface ForkProps {
  readonly source: Source;
  readonly session: SessionNode;
  readonly point: ForkPoint;
  readonly onShow: (session: string, row: string | undefined) => void;
}

/** Forks a session behind a message, under a name. */
export function ForkAction({ source, session, point, onShow }: ForkProps): JSX.Element | null {
  const name = useRef<HTMLInputElement>(null);
  const [key] = useState(() => `console-${Array.from(crypto.getRandomValues(new Uint32Array(4))).join("-")}`);
  const { rpc, listed } = source;
  if (rpc === undefined) return null;
  const known = listed.get(session.id);
  const act = async (): Promise<string> => {
    const identity = name.current?.value.trim() ?? "";
    if (identity === "") throw new RpcFailure("invalid_params", "Give the fork a name first.");
    const fork = await rpc<{ session_id: string }>("mobkit/fork_member", {
      source_member_id: known!.member!,
      agent_identity: identity,
      role: known!.role ?? "main",
      at: point.count,
      idempotency_key: `${key}-${point.count}-${identity}`.slice(0, 200),
    });
    onShow(fork.session_id, undefined);
    return `Forked behind message ${point.count} as ${identity}.`;
  };
  const who = nameOf(session);
  const problem = known?.member == null ? `${who} has no member that could be forked` : point.problem;
  return (
    <TwoStep
      label="Fork here …"
      confirm={`Fork ${who} behind message ${point.count}`}
      problem={problem}
      act={act}
    >
      <label>
        Name of the fork
        <input ref={name} type="text" autocomplete="off" spellcheck={false} />
      </label>
    </TwoStep>
  );
}
