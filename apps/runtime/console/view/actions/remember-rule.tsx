import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Rpc } from "../../stream/rpc-client.ts";
import { Line, Value } from "../text.tsx";

/** What an answer is remembered for: the narrowest rule that covers the call. */
export interface KeptRule {
  /** Where it holds; empty where nothing is remembered. */
  readonly scope: string;
  readonly setScope: (scope: string) => void;
  /** What the host says that it would decide; undefined until it has. */
  readonly words: string | undefined;
  readonly problem: string | undefined;
}

const scopes: readonly (readonly [scope: string, words: string])[] = [
  ["", "no, it is for this call alone"],
  ["session", "for this session"],
  ["workspace", "in this folder, for every agent"],
  ["global", "everywhere, for every agent"],
];

export interface RuleOf {
  readonly rpc: Rpc;
  readonly approval: string;
  readonly decision: "allow" | "deny";
}

/** A rule as its host would keep it. What is kept is what was shown. */
export function useRule({ rpc, approval, decision }: RuleOf): KeptRule {
  const [scope, setScope] = useState("");
  const [told, setTold] = useState<{
    readonly scope: string;
    readonly words?: string;
    readonly problem?: string;
  }>();
  useEffect(() => {
    if (scope === "") return;
    rpc<{ in_words: readonly string[] }>("approvals/preview", {
      approval,
      decision,
      remember: { scope },
    }).then(
      ({ in_words: lines }) => setTold({ scope, words: lines.join("\n") }),
      (error: Error) => setTold({ scope, problem: error.message }),
    );
  }, [rpc, approval, decision, scope]);
  const { words, problem } = told?.scope === scope ? told : {};
  return { scope, setScope, words, problem };
}

/** Why a rule cannot be kept yet: nobody has seen what it would decide. */
export function problemOf({ scope, words }: KeptRule): string | undefined {
  return scope !== "" && words === undefined ? "What the rule would decide is not shown yet." : undefined;
}

/** Asks whether an answer is remembered, and shows what that would decide beside this call. */
export function RememberRule({ rule }: { readonly rule: KeptRule }): JSX.Element {
  const { scope, setScope, words, problem } = rule;
  return (
    <>
      <label>
        Remember it as a rule
        <select value={scope} onChange={({ currentTarget: { value } }) => setScope(value)}>
          {scopes.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </label>
      {scope !== "" && words !== undefined && <Value value={words} label="what the rule would decide" />}
      {problem !== undefined && (
        <small class="why">
          <Line text={problem} />
        </small>
      )}
    </>
  );
}
