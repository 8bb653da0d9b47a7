import type { JSX } from "preact";
import type { EventOf } from "../state/fold-context.ts";
import type { CallNode } from "../state/model.ts";
import { duration } from "../state/units.ts";
import { Badge, verdictOfWord, type Verdict } from "./badge.tsx";
import { useCall, type TabProps } from "./tab.ts";
import { Line } from "./text.tsx";

const stages: ReadonlyMap<string, string> = new Map([
  ["pre_tool_use", "before the call"],
  ["post_tool_use", "about the result"],
]);

const verdicts: ReadonlyMap<string, Verdict> = new Map<string, Verdict>([
  ["allow", { tone: "good", icon: "allow", word: "allowed" }],
  ["deny", { tone: "bad", icon: "deny", word: "denied" }],
  ["modify", { tone: "change", icon: "change", word: "changed the input" }],
  ["replace", { tone: "change", icon: "change", word: "replaced the result" }],
  ["broken", { tone: "bad", icon: "broken", word: "could not answer" }],
]);

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

type Decided = EventOf<"hook_decided">["data"];

function Stage({ data }: { readonly data: Decided }): JSX.Element {
  const { event, decision, reason, participants, not_asked: notAsked = [] } = data;
  const total = participants.reduce((sum, { ms }) => sum + ms, 0);
  return (
    <section>
      <h3>
        asked <Line text={stages.get(event) ?? event} />: <Badge verdict={verdictFor(decision)} />
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
          {participants.map((participant, index) => (
            <Participant key={index} participant={participant} place={index + 1} />
          ))}
          {notAsked.map(({ who, why }) => (
            <tr key={who} class="unasked">
              <td>–</td>
              <td>
                <Line text={who} />
              </td>
              <td colSpan={2}>
                <Line text={unasked.get(why) ?? why} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {participants.length > 1 && <p class="hint">{duration(total)} in all</p>}
    </section>
  );
}

const unasked: ReadonlyMap<string, string> = new Map([
  ["filtered", "not asked: not meant for this call"],
  ["ended", "not asked: the answer stood already"],
]);

interface ParticipantProps {
  readonly participant: Decided["participants"][number];
  readonly place: number;
}

function Participant({ participant, place }: ParticipantProps): JSX.Element {
  const { who, decision, ms, failure, reason, shadow, recheck } = participant;
  const why = failure ?? reason;
  return (
    <tr>
      <td>{place}</td>
      <td>
        <Line text={who} />
        {shadow === true && <small> only watches</small>}
        {recheck === true && <small> again, about the changed input</small>}
      </td>
      <td>
        <Badge verdict={verdictFor(decision)} />
        {why !== undefined && (
          <small class={decision === "deny" || failure !== undefined ? "why" : undefined}>
            {" "}
            <Line text={why} />
          </small>
        )}
      </td>
      <td class="number">{duration(ms)}</td>
    </tr>
  );
}

function verdictFor(decision: string): Verdict {
  return verdicts.get(decision) ?? verdictOfWord(decision);
}
