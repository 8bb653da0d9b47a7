import type { JSX } from "preact";
import { inputSteps, type CallDetail, type InputStep } from "../state/call-detail.ts";
import { isSame } from "../state/json-diff.ts";
import type { CallNode } from "../state/model.ts";
import { resultOf } from "../state/short-text.ts";
import { duration } from "../state/units.ts";
import { Diff } from "./diff.tsx";
import { useCall, type TabProps } from "./tab.ts";
import { Code, Line, Value } from "./text.tsx";

/** A call as it was asked, as it was executed, and what came of it. */
export function CallTab(props: TabProps<CallNode>): JSX.Element {
  const detail = useCall(props);
  const { asked, completed, executed, resolved, requested, dropped } = detail;
  const steps = inputSteps(detail);
  return (
    <>
      {dropped > 0 && (
        <p class="hint">{dropped} events of this call are not here: its host is asked for them.</p>
      )}
      {steps.map(({ title, input }, index) => (
        <Step key={index} title={title} input={input} before={steps[index - 1]} />
      ))}
      {asked !== undefined && executed === undefined && (
        <section>
          <h3>{completed === undefined ? "not executed yet" : "never executed"}</h3>
        </section>
      )}
      <Approval requested={requested} resolved={resolved} />
      {completed !== undefined && (
        <section>
          <h3>{completed.data.is_error ? "refused or failed: what the model was told" : "result"}</h3>
          <Value value={resultOf(completed.data)} />
        </section>
      )}
      <Digests approved={requested.at(-1)?.data.digest} executed={executed?.data.digest} />
      {executed !== undefined && completed !== undefined && (
        <p class="hint">ran for {duration(Date.parse(completed.ts) - Date.parse(executed.ts))}</p>
      )}
    </>
  );
}

interface StepProps extends InputStep {
  readonly before: InputStep | undefined;
}

/** A form of the input: whole at first, then what is another. */
function Step({ title, input, before }: StepProps): JSX.Element {
  const isSameAsBefore = before !== undefined && isSame(before.input, input);
  return (
    <section>
      <h3>
        <Line text={isSameAsBefore ? `${title}, unchanged` : title} />
      </h3>
      {before === undefined && <Value value={input} />}
      {before !== undefined && !isSameAsBefore && <Diff before={before.input} after={input} />}
    </section>
  );
}

function Approval({ requested, resolved }: Pick<CallDetail, "requested" | "resolved">): JSX.Element | null {
  const last = requested.at(-1);
  if (last === undefined) return null;
  return (
    <section>
      <h3>approval</h3>
      <dl>
        <dt>level</dt>
        <dd>
          <Line text={last.data.level.replaceAll("_", " ")} />
        </dd>
        {resolved.map(({ data, seq }) => (
          <Resolution
            key={seq}
            decision={data.decision}
            by={data.by}
            reason={data.reason}
            id={data.approval_id}
          />
        ))}
      </dl>
    </section>
  );
}

interface ResolutionProps {
  readonly decision: string;
  readonly by: string | undefined;
  readonly reason: string | undefined;
  readonly id: string | undefined;
}

function Resolution({ decision, by, reason, id }: ResolutionProps): JSX.Element {
  return (
    <>
      <dt>{decision === "parked" ? "waits" : "decision"}</dt>
      <dd>
        <Line text={[decision, by && `by ${by}`, reason && `because: ${reason}`].filter(Boolean).join(" ")} />
        {id !== undefined && (
          <>
            {" "}
            <Code text={id} />
          </>
        )}
      </dd>
    </>
  );
}

/** What was approved is what ran: one digest stands for both. */
function Digests({
  approved,
  executed,
}: {
  readonly approved: string | undefined;
  readonly executed: string | undefined;
}): JSX.Element | null {
  if (executed === undefined && approved === undefined) return null;
  if (executed === undefined || approved === undefined)
    return (
      <section>
        <h3>digest of what was {executed === undefined ? "asked about" : "executed"}</h3>
        <Code text={(executed ?? approved)!} />
      </section>
    );
  return (
    <section>
      <h3>{approved === executed ? "what was approved is what ran" : "approved and executed differ"}</h3>
      <Code text={approved} />
      {approved !== executed && <Code text={executed} />}
    </section>
  );
}
