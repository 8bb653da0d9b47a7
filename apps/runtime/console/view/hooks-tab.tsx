import type { JSX } from "preact";
import type { EventOf } from "../state/fold-context.ts";
import type { CallNode } from "../state/model.ts";
import { duration } from "../state/units.ts";
import { Badge, type Verdict } from "./badge.tsx";
import { useCall, type TabProps } from "./tab.ts";
import { Line } from "./text.tsx";

const stages = { pre_tool_use: "before the call", post_tool_use: "about the result" } as const;

const verdicts: Readonly<Record<string, Verdict>> = {
  allow: { tone: "good", icon: "allow", word: "allowed" },
  deny: { tone: "bad", icon: "deny", word: "denied" },
  modify: { tone: "change", icon: "change", word: "changed the input" },
  replace: { tone: "change", icon: "change", word: "replaced the result" },
  broken: { tone: "bad", icon: "broken", word: "could not answer" },
};

/** Who was asked about a call, in order, what each said and how long it took. */
export function HooksTab(props: TabProps<CallNode>): JSX.Element {
  const { decided } = useCall(props);
  return (
    <>
      {decided.map((event) => (
        <Stage key={event.seq} data={event.data} />
      ))}
      {decided.length === 0 && <p class="hint">The events that told of hooks are not held any more.</p>}
    </>
  );
}

function Stage({ data }: { readonly data: EventOf<"hook_decided">["data"] }): JSX.Element {
  const { event, decision, reason, participants } = data;
  const total = participants.reduce((sum, { ms }) => sum + ms, 0);
  return (
    <section>
      <h3>
        asked {stages[event] ?? event}: <Badge verdict={verdictFor(decision)} />
      </h3>
      {reason !== undefined && (
        <p>
          <Line text={reason} />
        </p>
      )}
      <table>
        <thead>
          <tr>
            <th scope="col">#</th>
            <th scope="col">who</th>
            <th scope="col">said</th>
            <th scope="col" class="number">
              time
            </th>
          </tr>
        </thead>
        <tbody>
          {participants.map(({ who, decision: said, ms, failure, shadow }, index) => (
            <tr key={index}>
              <td>{index + 1}</td>
              <td>
                <Line text={who} />
                {shadow === true && <small> only watches</small>}
              </td>
              <td>
                <Badge verdict={verdictFor(said)} />
                {failure !== undefined && (
                  <small class="why">
                    <Line text={failure} />
                  </small>
                )}
              </td>
              <td class="number">{duration(ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {participants.length > 1 && <p class="hint">{duration(total)} in all</p>}
    </section>
  );
}

function verdictFor(decision: string): Verdict {
  return verdicts[decision] ?? { tone: "plain", icon: "note", word: decision };
}
