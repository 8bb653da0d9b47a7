import type { JSX } from "preact";
import type { AttemptNode, CallNode, RunNode } from "../state/model.ts";
import { attemptVerdict, Badge } from "./badge.tsx";
import type { TabProps } from "./tab.ts";
import { Line, Value } from "./text.tsx";

/** Every judged answer with why it was not accepted. */
export function OutputTab({ node, store }: TabProps<RunNode | CallNode>): JSX.Element {
  const attempts = node.kind === "run" ? node.attempts : node.attempt === undefined ? [] : [node.attempt];
  return (
    <>
      {attempts.map((attempt) => (
        <Attempt key={attempt.number} attempt={attempt} store={store} />
      ))}
    </>
  );
}

interface AttemptProps extends Pick<TabProps, "store"> {
  readonly attempt: AttemptNode;
}

function Attempt({ attempt, store }: AttemptProps): JSX.Element {
  const { number, verdict, events, run } = attempt;
  const told = events.flatMap((seq) => store.event(run.session.id, seq) ?? []);
  const candidate = told.find((event) => event.type === "output_attempted");
  const rejected = told.find((event) => event.type === "output_rejected");
  return (
    <section>
      <h3>
        answer {number} <Badge verdict={attemptVerdict(number, verdict)} />
      </h3>
      {candidate !== undefined && <Value value={candidate.data.candidate} label={`answer ${number}`} />}
      {rejected !== undefined && (
        <>
          <h4>
            why: <Line text={verdict} />
          </h4>
          <Value value={rejected.data.feedback} label="why it was rejected" />
          {rejected.data.last && <p class="hint">There was no further try.</p>}
        </>
      )}
    </section>
  );
}
