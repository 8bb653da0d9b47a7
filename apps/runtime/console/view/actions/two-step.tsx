import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { visibleText } from "../../state/visible-text.ts";
import { RpcFailure } from "../../stream/rpc-client.ts";
import { Line } from "../text.tsx";

/** Something that a person can do, and what has to be said before. */
export interface TwoStepProps {
  /** Names the first step, which does nothing but show the second. */
  readonly label: string;
  /** Names what the second step does. */
  readonly confirm: string;
  readonly tone?: "good" | "bad";
  /** Why it can't be done; undefined where it can. */
  readonly problem?: string | undefined;
  /** Does it. Answers what came of it, in words. */
  readonly act: () => Promise<string>;
  /** What is shown and asked between the steps. */
  readonly children?: ComponentChildren;
}

type Stage =
  | { readonly at: "closed" | "asking" | "working" }
  | { readonly at: "done" | "failed"; readonly words: string };

/**
 * An action in two steps. Nothing in it is a form, so that Enter in a field does nothing; the second step is a button
 * that has to be chosen, and the focus is not on it.
 */
export function TwoStep(props: TwoStepProps): JSX.Element {
  const { label, confirm, tone = "good", problem, act, children } = props;
  const [stage, setStage] = useState<Stage>({ at: "closed" });
  const panel = useRef<HTMLDivElement>(null);
  const isOpen = stage.at === "asking" || stage.at === "working" || stage.at === "failed";
  useEffect(() => {
    if (stage.at === "asking") panel.current?.focus();
  }, [stage.at]);
  const run = (): void => {
    setStage({ at: "working" });
    act().then(
      (words) => setStage({ at: "done", words }),
      (error: unknown) => setStage({ at: "failed", words: failureInWords(error) }),
    );
  };
  return (
    <div class="action">
      {!isOpen && (
        <button
          type="button"
          aria-disabled={problem !== undefined}
          title={problem && visibleText(problem)}
          onClick={() => problem === undefined && setStage({ at: "asking" })}
        >
          <Line text={label} />
        </button>
      )}
      {problem !== undefined && (
        <small>
          <Line text={problem} />
        </small>
      )}
      {stage.at === "done" && (
        <span role="status">
          <Line text={stage.words} />
        </span>
      )}
      {isOpen && (
        <div ref={panel} class="asking" role="group" aria-label={label} tabIndex={-1}>
          {children}
          {stage.at === "failed" && (
            <p class="why" role="alert">
              <Line text={stage.words} />
            </p>
          )}
          <p class="steps">
            <button type="button" onClick={() => setStage({ at: "closed" })}>
              Back
            </button>
            <button type="button" class={`confirm ${tone}`} disabled={stage.at === "working"} onClick={run}>
              {stage.at === "working" ? "…" : <Line text={confirm} />}
            </button>
          </p>
        </div>
      )}
    </div>
  );
}

function failureInWords(error: unknown): string {
  if (error instanceof RpcFailure) return error.message;
  return error instanceof Error ? `this page failed: ${error.message}` : String(error);
}
